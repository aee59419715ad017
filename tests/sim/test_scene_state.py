"""The scene as a user changes it, over HTTP, and whether the robot's eye sees it."""

from __future__ import annotations

import base64
import io
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image, ImageDraw
from websockets.sync.client import connect

from reachy_mind.body.address import Address

Pixels = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class Scene:
    """The simulator's own routes; every answer must be the one expected."""

    def __init__(self, address: Address) -> None:
        self.http = httpx.Client(base_url=f"{address.http}/sim/v1", timeout=60)

    def __call__(self, method: str, path: str, expect: int | None = None, **content: Any) -> Any:
        response = self.http.request(method, path, json=content or None)
        assert response.status_code == expect if expect else response.is_success, response.text
        return response.json()

    def see(self) -> Pixels:
        response = self.http.get("/camera/frame.jpg")
        response.raise_for_status()
        return np.asarray(Image.open(io.BytesIO(response.content)), dtype=float)


@pytest.fixture
def scene(robot: Address) -> Scene:
    """Awake, looking ahead, time standing still: each test steps it, so nothing depends on the machine's speed."""
    http = httpx.Client(base_url=robot.http)
    scene = Scene(robot)
    scene("POST", "/reset?paused=true")
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    http.post("/api/move/play/wake_up").raise_for_status()
    scene("POST", "/time/step", ticks=100)
    return scene


def encoded(picture: Image.Image, form: str = "PNG") -> str:
    file = io.BytesIO()
    picture.save(file, form)
    return base64.b64encode(file.getvalue()).decode()


def halves() -> Image.Image:
    """Green on the left, blue on the right, and a red bar below: it shows a picture that is turned or mirrored."""
    picture = Image.new("RGB", (200, 200), (0, 200, 0))
    pen = ImageDraw.Draw(picture)
    pen.rectangle([100, 0, 200, 200], fill=(0, 0, 220))
    pen.rectangle([0, 150, 200, 200], fill=(220, 0, 0))
    return picture


def where(mask: Any) -> tuple[float, float]:
    """The middle of the points that are set: across, down."""
    down, across = np.nonzero(mask)
    assert len(across) > 30, "nothing of that colour is seen"
    return float(across.mean()), float(down.mean())


def colors(frame: Pixels) -> tuple[Any, Any, Any]:
    red, green, blue = frame[..., 0], frame[..., 1], frame[..., 2]
    return (
        (red > 90) & (green < 0.3 * red) & (blue < 0.3 * red),
        (green > 90) & (red < 0.4 * green) & (blue < 0.4 * green),
        (blue > 90) & (red < 0.4 * blue) & (green < 0.4 * blue),
    )


def test_an_added_ball_is_seen_where_it_is_and_not_after_it_is_removed(scene: Scene) -> None:
    before = scene.see()
    added = scene(
        "POST", "/objects", 201, shape="sphere", size=[0.08], position=[0.45, 0.1], color=[0, 0, 1], label="a blue ball"
    )
    assert (added["name"], added["label"], added["size"]) == ("sphere", "a blue ball", [0.08])
    across, _ = where(colors(scene.see())[2])
    assert across < 300, "left of the middle"
    scene("PUT", "/objects/sphere/position", position=[0.38, -0.08])
    across, _ = where(colors(scene.see())[2])
    assert across > 340
    scene("DELETE", "/objects/sphere")
    assert np.abs(scene.see() - before).mean() < 0.5


def test_a_picture_on_a_box_is_upright_and_not_mirrored(scene: Scene) -> None:
    for name in ("apple", "croissant", "duck"):
        scene("DELETE", f"/objects/{name}")
    scene("POST", "/objects", 201, shape="box", size=[0.2] * 3, position=[0.6, 0.0], texture=encoded(halves()))
    red, green, blue = (where(mask[:, 200:440]) for mask in colors(scene.see()))
    assert green[0] < blue[0] - 10 and red[1] > green[1] + 10


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_persons_face_is_the_picture_given(scene: Scene, form: str) -> None:
    scene("POST", "/people", 201, name="ada", at=[0.9, 0.0], height=1.3, face=encoded(halves(), form))
    red, green, blue = (where(mask[:200]) for mask in colors(scene.see()))
    assert green[0] < blue[0] - 5 and red[1] > green[1] + 5
    scene("POST", "/people/ada/turn", to="away")
    scene("POST", "/time/step", ticks=60)
    assert colors(scene.see())[1][:200].sum() < 20, "the back of a head shows no face"


def test_a_drawn_face_has_eyes_and_comes_closer(scene: Scene) -> None:
    """Without a picture: bright eyes in a face, larger when the person has come closer."""
    empty = scene.see()
    scene("POST", "/people", 201, name="bob", at=[2.0, 0.0], height=1.5)
    far = (np.abs(scene.see() - empty).sum(axis=2) > 60).sum()
    closer = scene("POST", "/people/bob/approach", distance=0.7, speed=1.5)
    assert closer["walking_to"] == pytest.approx([0.7, 0.0])
    scene("POST", "/time/step", ticks=60)
    assert scene("GET", "/people/bob")["distance"] == pytest.approx(0.7)
    near = (np.abs(scene.see() - empty).sum(axis=2) > 60).sum()
    assert near > 2.5 * far


def test_several_people_walk_at_once(scene: Scene) -> None:
    for number, name in enumerate(("ada", "bob", "cy")):
        scene("POST", "/people", 201, name=name, at=[1.5, 0.8 - 0.8 * number])
        scene("POST", f"/people/{name}/walk", to=[2.5, 0.8 - 0.8 * number], speed=0.5 + number)
    scene("POST", "/time/step", ticks=25)
    at = {person["name"]: person["at"][0] for person in scene("GET", "/people")["people"]}
    assert at == pytest.approx({"ada": 1.75, "bob": 2.25, "cy": 2.5})
    assert set(scene("GET", "/scene")["people"]) == {"ada", "bob", "cy"}
    scene("DELETE", "/people/bob")
    assert scene("POST", "/people/bob/turn", 404, to="away")["detail"]["code"] == "NOT_FOUND"


def test_the_same_seed_gives_the_same_world_and_the_same_frames(scene: Scene) -> None:
    def play(seed: int) -> tuple[Any, bytes]:
        scene("POST", f"/reset?paused=true&seed={seed}")
        scene("PUT", "/camera/noise", level=8)
        scene("POST", "/objects", 201, shape="sphere", position=[0.3, 0.0, 0.3], name="ball")
        scene("POST", "/objects/ball/throw", velocity=[1.0, 0.1, 0.5], spin=[0, 3, 0])
        scene("POST", "/people", 201, name="ada", at=[1.2, 0.2], height=1.3)
        scene("POST", "/time/step", ticks=40)
        return scene("GET", "/objects")["objects"], scene.http.get("/camera/frame.jpg").content

    first, again, other = play(5), play(5), play(6)
    assert first == again
    assert first[0] == other[0] and first[1] != other[1]


def test_noise_is_as_strong_as_asked_and_changes_with_time(scene: Scene) -> None:
    clean = scene.see()
    scene("PUT", "/camera/noise", level=20)
    noisy = scene.see()
    sky = noisy[:60] - clean[:60]
    assert 10 < sky.std() < 25 and abs(sky.mean()) < 3
    assert np.array_equal(scene.see(), noisy), "time stands still"
    scene("POST", "/time/step", ticks=1)
    assert not np.array_equal(scene.see(), noisy)


def test_light_dims_the_room_and_comes_from_a_side(scene: Scene) -> None:
    day = scene.see()
    assert scene("PUT", "/light", level=0.25)["level"] == 0.25
    assert scene.see().mean() < 0.4 * day.mean()
    scene("POST", "/objects", 201, shape="sphere", size=[0.2], position=[0.75, 0.0], color=[1, 1, 1])
    for direction, brighter in (([0, 1, 0], "right"), ([0, -1, 0], "left")):
        scene("PUT", "/light", level=1, direction=direction)
        ball = scene.see()[200:220, 300:340].mean(axis=(0, 2))
        assert (ball[30:].mean() > ball[:10].mean()) == (brighter == "right")
    assert scene("PUT", "/light", 422, direction=[0, 0, 0])["detail"]["code"] == "INVALID_PARAMETER"


def test_time_stands_still_steps_and_runs_faster(scene: Scene, robot: Address) -> None:
    start = scene("GET", "/time")["sim_s"]
    with connect(robot.socket) as socket:  # whoever listens goes on hearing states while time stands still
        heard = [socket.recv(timeout=5) for _ in range(20)]
    assert sum("head_pose" in str(message) for message in heard) > 5
    assert scene("GET", "/time")["sim_s"] == start
    assert scene("POST", "/time/step", ticks=25)["sim_s"] == pytest.approx(start + 0.5)
    running = scene("PUT", "/time", paused=False, speed=4)
    assert scene("POST", "/time/step", 409, ticks=1)["detail"]["hint"]
    later = running
    while later["wall_s"] < running["wall_s"] + 1:
        later = scene("GET", "/time")
    assert later["sim_s"] - running["sim_s"] > 1.2 * (later["wall_s"] - running["wall_s"])
    scene("POST", "/reset")
    now = scene("GET", "/time")
    assert now["speed"] == 1 and not now["paused"]


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/objects", {"shape": "cone", "position": [1, 0]}, 422),
        ("/objects", {"shape": "box", "size": [0.1], "position": [1, 0]}, 422),
        ("/objects", {"shape": "capsule", "size": [0.1, 0.05], "position": [1, 0]}, 422),
        ("/objects", {"shape": "apple", "size": [0.1], "position": [1, 0]}, 422),
        ("/objects", {"shape": "box", "position": [0, 0, 0.1]}, 409),
        ("/objects", {"shape": "box", "position": [0.6, 0.1], "texture": "bm90IGEgcGljdHVyZQ=="}, 422),
        ("/objects", {"shape": "box", "position": [0.6, 0.1], "texture": "???"}, 422),
        ("/objects", {"shape": "box", "position": [1e9, 0]}, 422),
        ("/objects", {"shape": "box", "position": [0.6, 0.1], "name": "../etc"}, 422),
        ("/objects/pear/throw", {"velocity": [0, 0, 1]}, 404),
        ("/objects/apple/throw", {"velocity": [0, 0, 1000]}, 422),
        ("/people", {"at": [1, 0], "height": 9}, 422),
        ("/people", {"at": [1, 0], "face": "bm8="}, 422),
        ("/people/nobody/walk", {"to": [1, 0]}, 404),
    ],
)
def test_what_can_not_be_is_refused_and_changes_nothing(
    scene: Scene, path: str, content: dict[str, Any], status: int
) -> None:
    before = scene("GET", "/objects"), scene("GET", "/people")
    assert scene("POST", path, status, **content)["detail"]
    assert (scene("GET", "/objects"), scene("GET", "/people")) == before
