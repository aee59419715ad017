"""The documentation site: what mkdocs needs beyond the pages of docs/. Build it with `make docs`."""
