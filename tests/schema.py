"""The JSON Schema of results.json, with what it refers to in its place."""

from __future__ import annotations

from typing import Any


def closed(schema: dict[str, Any]) -> Any:
    """A schema with what it refers to in its place, and no key allowed but those it names."""

    def put(part: Any, within: tuple[str, ...] = ()) -> Any:
        if isinstance(part, list):
            return [put(one, within) for one in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            name = part["$ref"].removeprefix("#/$defs/")
            again = name in within  # an estimate beside an estimate: the inner one is not looked into
            return {"type": "object"} if again else put(schema["$defs"][name], (*within, name))
        if "anyOf" in part:  # a record, of one kind or another, or null
            *records, null = part["anyOf"]
            assert null == {"type": "null"}
            if len(records) > 1:
                return {"anyOf": [*(put(one, within) for one in records), null]}
            return put(records[0], within) | {"type": ["object", "null"]}
        whole = {name: put(one, within) for name, one in part.items() if name != "$defs"}
        return whole | ({"additionalProperties": False} if "properties" in whole else {})

    return put(schema)
