#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""schema.py FOLDER FILE… - holds JSON documents against the schemas in FOLDER.

Each document names its schema ("tlbtrace-whatif/1"); the lines of a FILE.jsonl are those of export. Schemas let unknown keys pass, because keys grow;
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


def complaint(document, schemas, name):
    schema = schemas.get(name.split("/")[0] + ".schema.json")
    if not schema:
        return f"no schema for '{name}'"
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=schemas)
    for error in jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(document):
        return "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
    return None


def documents(path):
    if path.suffix == ".jsonl":
        yield from ((json.loads(line), "tlbtrace-export") for line in path.read_text().splitlines())
    else:
        document = json.loads(path.read_text())
        yield document, document.get("schema", "")


def main():
    schemas = load(pathlib.Path(sys.argv[1]))
    failed = n = 0
    for path in sys.argv[2:]:
        for document, name in documents(pathlib.Path(path)):
            said = complaint(document, schemas, name)
            n += 1
            if said:
                failed = 1
                print(f"{path}: {said}")
    print(f"{n} documents")
    return failed


sys.exit(main())
