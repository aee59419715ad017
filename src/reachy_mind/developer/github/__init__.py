"""GitHub by its REST API: issues, pull requests, checks and the logs of jobs."""
