#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""schema.py FOLDER FILE… - holds JSON documents against the schemas in FOLDER.

Each document names its schema ("tlbtrace-whatif/1"). Schemas let unknown keys pass, because keys grow;
here they do not, so that a key which no schema has is noticed.
"""
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
import jsonschema  # noqa: E402


def closed(schema):
    """The schema with additionalProperties false wherever it lists properties and says nothing else."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        out.setdefault("additionalProperties", False)
    return out


def load(folder):
    schemas = {}
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        schemas[schema["$id"]] = closed(schema)
    return schemas


def complaint(document, schemas):
    name = document.get("schema", "")
    schema = schemas.get(name.split("/")[0] + ".schema.json")
    if not schema:
        return f"no schema for '{name}'"
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=schemas)
    for error in jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(document):
        return "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
    return None


def main():
    schemas = load(pathlib.Path(sys.argv[1]))
    failed = 0
    for path in sys.argv[2:]:
        said = complaint(json.loads(pathlib.Path(path).read_text()), schemas)
        if said:
            failed = 1
            print(f"{path}: {said}")
    print(f"{len(sys.argv) - 2} documents")
    return failed


sys.exit(main())
