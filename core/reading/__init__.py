"""Files as plain values: JSON, JSON lines, TOML, text; and rows whose fields are checked."""
