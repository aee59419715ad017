"""The vendor's REST API (`/api`), a module for each group: paths, fields and status codes of daemon 1.13."""
