"""The control plane ("hub"): a process, an app and a store of its own, which steers many devices of many tenants.

Its rows are the truth. Modules named for what they keep (`devices`, `uplink`, `downlink`, `twins`, `personas`,
`rollouts`, `emergencies`, ...) have plain functions of a `Sql` (`store/store.py`), which run as transactions; `hub`
speaks cp1 with the devices that are connected here; `bus` wakes the node that has a device; `routes` and `app` are for
operators.
"""
