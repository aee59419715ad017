"""`load_yaml`: YAML in which a key stands once. YAML takes the last of two, and the first disappears in silence."""

from __future__ import annotations

from typing import Any

import yaml


class UniqueKeyLoader(yaml.SafeLoader):
    """YAML's safe loader, which refuses a mapping that has a key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        known = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if key.value in known:
                    problem = f"{key.value!r} stands there twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                known.add(key.value)
        return super().construct_mapping(node, deep)


def load_yaml(text: str) -> Any:
    """The content of a YAML text. Raises yaml.YAMLError, also for a key that stands twice in a mapping."""
    return yaml.load(text, Loader=UniqueKeyLoader)  # noqa: S506 -- a safe loader
