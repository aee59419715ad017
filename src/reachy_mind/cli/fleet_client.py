"""How fleet commands call a control plane: the one of this machine, or another with its address and a key."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import httpx

    from reachy_mind.fleet.control.local_operator import LocalOperator

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Url = Annotated[
    str | None,
    typer.Option("--url", help="Control plane to call, else $FLEET_URL, else this machine's.", metavar="URL"),
]
Key = Annotated[
    str | None, typer.Option("--key", help="Key of an operator there; better in $FLEET_KEY.", metavar="KEY")
]
Content = dict[str, Any]
TIMEOUT_S = 60.0
MAX_PAGE = 200


class FleetClient:
    """Use as a context manager. Its methods raise RemoteError for an error response, NotReady without an answer."""

    def __init__(self, to: LocalOperator) -> None:
        import httpx

        secure = to.url.startswith("https:")
        self.url, self.authority = to.url.rstrip("/"), to.authority
        self._http = httpx.Client(
            base_url=f"{self.url}/fleet/v1/",
            headers={"Authorization": f"Bearer {to.key}"},
            timeout=TIMEOUT_S,
            trust_env=False,
            verify=ssl.create_default_context(cafile=to.authority or None)
            if secure
            else False,  # no TLS: none to check
        )

    def __enter__(self) -> FleetClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, method: str, route: str, content: Content | None = None, **query: Any) -> Any:
        """The answer of a route; `route` follows /fleet/v1/."""
        params = {name: value for name, value in query.items() if value is not None}
        return self._request(method, route, json=content, params=params)

    def send_file(self, route: str, content: bytes, kind: str) -> Any:
        """The answer to the content of a file; `kind`: its media type."""
        return self._request("POST", route, content=content, headers={"Content-Type": kind})

    def _request(self, method: str, route: str, **about: Any) -> Any:
        import httpx

        from reachy_mind.client import parse_response

        try:
            response = self._http.request(method, route, **about)
            return parse_response(response) if response.content else {}
        except httpx.HTTPError as error:
            raise self._no_answer(error) from error
        except ValueError as error:
            raise self._no_answer("this is no control plane") from error

    def items(self, route: str, cursor: str, **query: Any) -> Iterator[Content]:
        """All items of a list, page by page; `cursor`: "after" or "before"."""
        at: str | None = None
        while True:
            found = self.ask("GET", route, None, limit=MAX_PAGE, **query, **{cursor: at})
            yield from found["items"]
            at = found["next"]
            if at is None:
                return

    def live(self) -> Iterator[Content]:
        """What happens from now on, until the control plane ends."""
        import httpx

        try:
            with self._http.stream("GET", "live", timeout=httpx.Timeout(TIMEOUT_S, read=None)) as response:
                self._require(response)
                for line in response.iter_lines():
                    if line.startswith(":"):
                        yield {"kind": "quiet"}
                    elif line.startswith("data: "):
                        yield json.loads(line[6:])
        except httpx.HTTPError as error:
            raise self._no_answer(error) from error

    def _require(self, response: httpx.Response) -> None:
        from reachy_mind.client import parse_response

        if response.status_code >= 400:
            response.read()
            parse_response(response)

    def _no_answer(self, reason: object) -> Exception:
        from reachy_mind.errors import NotReady

        return NotReady(
            f"the control plane at {self.url} does not answer: {reason}",
            hint="is it running? reachy-mind fleet serve; another one: --url and --key",
        )


def connect(url: str | None, key: str | None) -> FleetClient:
    """To the control plane that was named, else to this machine's. Raises NotReady, ConfigError."""
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import ConfigError, NotReady
    from reachy_mind.fleet.control import local_operator
    from reachy_mind.fleet.control.local_operator import LocalOperator

    configuration = load(flags={"fleet.url": url, "fleet.key": key})
    settings = configuration.settings.fleet
    known = local_operator.read(configuration.home)
    chosen = settings.key.get_secret_value() if settings.key is not None else ""
    if settings.url is None or (known is not None and settings.url.rstrip("/") == known.url):
        if known is None:
            raise NotReady(
                "no control plane was started here", hint="reachy-mind fleet serve; another one: --url and --key"
            )
        return FleetClient(LocalOperator(known.url, chosen or known.key, known.authority))
    if not chosen:
        raise ConfigError(
            f"{settings.url} needs a key", hint="an admin makes one: reachy-mind fleet operators new NAME"
        )
    return FleetClient(LocalOperator(settings.url, chosen))


def when(stamp: int | None) -> str:
    """A time of the control plane for people."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stamp / 1000)) if stamp is not None else "never"
