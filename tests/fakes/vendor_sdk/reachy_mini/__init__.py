"""Stands for the vendor's SDK 1.13 in an environment of its own: what `vendor_process.py` uses of it, no robot behind.

`tests/vendor_client/test_media.py` compares its signatures with the real ones. What it should do wrong is in FAKE_SDK;
what was done with it goes to the file FAKE_SDK_LOG, one JSON array a line.
"""
