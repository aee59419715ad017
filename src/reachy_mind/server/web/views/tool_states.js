// The states of a version in words, and the colours of their tags.

export const STATES = { draft: "not proven", tested: "waits for you", approved: "approved", active: "in use", retired: "not in use", rejected: "rejected", quarantined: "quarantine" };
export const KINDS = { draft: "", tested: "confirm", approved: "", active: "done", retired: "", rejected: "", quarantined: "failed" };
