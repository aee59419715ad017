"""Personalities over REST: listed, changed, used, and nothing else than texts."""

from __future__ import annotations

import httpx

from reachy_mind.mind import Mind
from tests.profiles.folders import OWN_TOOL, folder, put
from tests.server.test_api import error_of


async def test_the_list_is_paged_and_names_what_is_broken(http: httpx.AsyncClient) -> None:
    put("empty", tools_txt="nod")
    told = (await http.get("profiles", params={"limit": 3, "offset": 1})).json()
    assert len(told["profiles"]) == 3 and told["total"] >= 13 and told["active"] == "default"
    everything = (await http.get("profiles", params={"limit": 500})).json()["profiles"]
    broken = [profile for profile in everything if profile["broken"]]
    assert [profile["name"] for profile in broken] == ["empty"]
    error_of(await http.get("profiles", params={"limit": 0}), 422)


async def test_one_is_made_read_changed_used_and_removed(mind: Mind, http: httpx.AsyncClient) -> None:
    wish = {
        "name": "captain",
        "instructions": "You sail.\n[speaking]",
        "tools": ["nod", "play_emotion"],
        "greeting": "Ahoy!",
    }
    made = await http.post("profiles", json=wish)
    assert made.status_code == 201 and made.json()["tools"] == ["nod", "express_emotion"]
    read = (await http.get("profiles/captain")).json()
    assert read["files"]["instructions"] == "You sail.\n[speaking]\n"  # as it was written
    assert "spoken aloud" in read["instructions"] and read["source"] == "user" and not read["active"]

    used = (await http.post("profiles/captain/activate")).json()
    assert used == {"active": "captain", "greeting": "Ahoy!", "kept": False, "problems": []}
    assert mind.profile.name == "captain"
    changed = await http.put("profiles/captain", json={"manner": {"en": {"greet": ["Avast."]}}, "greeting": ""})
    assert changed.status_code == 200 and changed.json()["greeting"] == ""
    assert (await http.post("chat", json={"message": "hello"})).json()["response"] == "Avast."

    gone = await http.delete("profiles/captain")
    assert gone.status_code == 200 and mind.profile.name == "default"
    error_of(await http.get("profiles/captain"), 404)


async def test_chat_may_say_who_should_answer(mind: Mind, http: httpx.AsyncClient) -> None:
    answer = (await http.post("chat", json={"message": "thank you", "profile": "grumpy"})).json()
    assert answer["response"] in mind.profile.manner["en"]["thanks"] and mind.profile.name == "grumpy"
    error_of(await http.post("chat", json={"message": "hello", "profile": "nobody"}), 422)
    assert mind.profile.name == "grumpy"


async def test_what_cant_be_done_is_an_error_and_changes_nothing(mind: Mind, http: httpx.AsyncClient) -> None:
    put("hummer", instructions_txt="You hum.", hum_py=OWN_TOOL)
    put("empty", tools_txt="nod")
    new = {"name": "captain", "instructions": "You sail."}
    assert (await http.post("profiles", json=new)).status_code == 201
    assert "already" in error_of(await http.post("profiles", json=new), 422)["message"]
    for wrong in (
        {"name": "../up", "instructions": "x"},
        {"name": "one", "instructions": ""},
        {"name": "one", "instructions": "x" * 70_000},
        {"name": "one", "instructions": "x", "code": "import os"},
        {"name": "one", "instructions": "x", "hum.py": "import os"},
        {"name": "one", "instructions": "x", "manner": {"en": {"greet": ["{0}"]}}},
        {"instructions": "x"},
    ):
        error_of(await http.post("profiles", json=wrong), 422)
    assert not folder("one").exists()
    assert "can't be changed" in error_of(await http.put("profiles/poet", json={"greeting": "x"}), 422)["message"]
    error_of(await http.delete("profiles/poet"), 422)
    assert "hum.py" in error_of(await http.delete("profiles/hummer"), 422)["message"]
    error_of(await http.put("profiles/nobody", json={"greeting": "x"}), 404)
    error_of(await http.post("profiles/nobody/activate"), 404)
    error_of(await http.post("profiles/empty/activate"), 422)
    error_of(await http.post("profiles/poet/activate", json={"keep": "perhaps"}), 422)
    assert mind.profile.name == "default"


async def test_every_change_went_through_the_gate(http: httpx.AsyncClient) -> None:
    await http.post("profiles", json={"name": "captain", "instructions": "You sail."})
    await http.post("profiles/captain/activate")
    await http.delete("profiles/captain")
    entries = (await http.get("audit")).json()["entries"]
    assert [entry["tool"] for entry in entries] == [
        "mind.remove_personality",
        "mind.set_personality",
        "mind.save_personality",
    ]


async def test_who_forbids_it_is_obeyed(http: httpx.AsyncClient, mind: Mind) -> None:
    assert mind.toolbox.permissions.file is not None
    mind.toolbox.permissions.file.write_text("rules:\n  - {pattern: mind.set_personality, tier: forbidden}\n")
    mind.toolbox.permissions.reload()
    error_of(await http.post("profiles/poet/activate"), 403)
    assert mind.profile.name == "default"
    reply = await mind.ask("be a poet")
    assert reply.tool_calls[0].outcome.status == "denied" and mind.profile.name == "default"
