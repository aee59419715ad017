"""The vendor's REST routes, `/api`, a module for each family: paths, fields and status codes of its daemon 1.13."""
