"""A stand-in for xllamacpp: a server on loopback that answers as llama.cpp's did when it was asked for real.

It "loads" the JSON file of the model's name in place of a model: a list of answers, given one after the other, the last
again and again. An answer is text, sent in pieces; or an object: `text`, `cut` (longer than allowed), `hang` (nothing
more comes), `die` (the process does), `refuse` (a status and a message). Its tokens are bytes. What it was asked, who
hung up, and adapters that it has, go to the log beside the file.
"""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

PIECE = 4


class CommonParams:
    def __init__(self):
        self.model = SimpleNamespace(path="")
        self.cpuparams, self.cpuparams_batch = SimpleNamespace(n_threads=0), SimpleNamespace(n_threads=0)
        self.api_keys, self.hostnames, self.lora_adapters = [], ["127.0.0.1"], []


class CommonAdapterLoraInfo:
    def __init__(self, path, scale):
        self.path, self.scale = path, scale


class Server:
    def __init__(self, params):
        file = Path(params.model.path).with_suffix(".json")
        answers, log, lock = json.loads(file.read_text()), file.with_suffix(".log"), threading.Lock()

        def write(**row):
            with lock, log.open("a") as out:
                out.write(json.dumps(row) + "\n")

        for adapter in params.lora_adapters:
            write(adapter=adapter.path, scale=adapter.scale)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.headers.get("Authorization") != f"Bearer {params.api_keys[0]}":
                    return self.refuse(401, "Invalid API Key")
                if self.path.startswith("/slots/"):
                    return self.slot(body["filename"], self.path.rpartition("=")[2])
                if self.path == "/apply-template":
                    rendered = "".join(f"<{each['role']}>{each['content']}" for each in body["messages"])
                    return self.answer(200, {"prompt": f"{rendered}<assistant>"})
                if self.path == "/tokenize":
                    return self.answer(200, {"tokens": list(body["content"].encode())})
                with lock:
                    answer = answers.pop(0) if len(answers) > 1 else answers[0]
                answer = {"text": answer} if isinstance(answer, str) else answer
                write(asked=body)
                if "refuse" in answer:
                    return self.refuse(*answer["refuse"])
                try:
                    self.stream(body, answer)
                except OSError:
                    write(hung_up=True)
                    self.close_connection = True

            def slot(self, name, action):
                write(slot=action)
                file = Path(params.slot_save_path) / name
                if action == "save":
                    file.write_text("read")
                elif file.read_text() != "read":
                    return self.refuse(400, "Unable to restore slot")
                return self.answer(200, {"id_slot": 0})

            def refuse(self, status, message):
                self.answer(status, {"error": {"code": status, "message": message}})

            def answer(self, status, told):
                content = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def stream(self, body, answer):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                text = answer["text"]
                self.event(
                    choices=[{"index": 0, "finish_reason": None, "delta": {"role": "assistant", "content": None}}]
                )
                for start in range(0, len(text), PIECE):
                    delta = {"content": text[start : start + PIECE]}
                    self.event(choices=[{"index": 0, "finish_reason": None, "delta": delta}])
                if answer.get("die"):
                    os._exit(9)
                while answer.get("hang"):
                    self.event(choices=[])
                    threading.Event().wait(0.02)
                reason = "length" if answer.get("cut") else "stop"
                self.event(choices=[{"index": 0, "finish_reason": reason, "delta": {}}])
                read = sum(len(message["content"]) for message in body["messages"]) // 4
                usage = {"prompt_tokens": read, "completion_tokens": len(text) // 4, "total_tokens": 0}
                self.event(choices=[], usage=usage | {"prompt_tokens_details": {"cached_tokens": read // 2}})
                self.chunk(b"data: [DONE]\n\n")
                self.chunk(b"")

            def event(self, **about):
                self.chunk(b"data: " + json.dumps({"object": "chat.completion.chunk", **about}).encode() + b"\n\n")

            def chunk(self, data):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
                self.wfile.flush()

            def log_message(self, *_):
                pass

        served = ThreadingHTTPServer((params.hostnames[0], 0), Handler)
        threading.Thread(target=served.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{served.server_address[1]}"
