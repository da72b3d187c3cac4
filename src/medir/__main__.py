"""`python -m medir` is `medir`."""

from medir.cli import main

main(prog_name="medir")
