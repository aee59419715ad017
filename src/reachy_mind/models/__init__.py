"""Models and other big files: the catalogue of downloads, the store on this machine, worker processes that host one
model each, and language models behind an address (`completion`) or on this machine (`llama`)."""
