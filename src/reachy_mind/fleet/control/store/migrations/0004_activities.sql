-- Activities of several devices in time together. At the time `at` the timeline stands, or stood, at `position_ms`.
-- `heeded_at`: emergencies of participants that were pressed later are still to be looked at.

CREATE TABLE activity (
  id TEXT PRIMARY KEY,
  tenant TEXT NOT NULL REFERENCES tenant (id),
  kind TEXT NOT NULL CHECK (kind IN ('story', 'music', 'exercise', 'dance')),
  group_name TEXT,
  prepared TEXT NOT NULL,
  quorum BIGINT NOT NULL,
  deadline_at BIGINT NOT NULL,
  on_emergency TEXT NOT NULL CHECK (on_emergency IN ('end', 'pause', 'ignore')),
  emergency_text TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('preparing', 'ready', 'running', 'paused', 'ended')),
  reason TEXT NOT NULL DEFAULT '',
  at BIGINT,
  position_ms BIGINT NOT NULL DEFAULT 0,
  duration_ms BIGINT,
  lead_ms BIGINT,
  times TEXT NOT NULL DEFAULT '[]',
  heeded_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);
CREATE INDEX activity_recent ON activity (tenant, created_at);
CREATE INDEX activity_open ON activity (id) WHERE state <> 'ended';

CREATE TABLE activity_device (
  activity TEXT NOT NULL REFERENCES activity (id),
  device TEXT NOT NULL REFERENCES device (id),
  state TEXT NOT NULL CHECK (state IN ('preparing', 'ready', 'playing', 'finished', 'failed', 'left')),
  reason TEXT NOT NULL DEFAULT '',
  part_ms TEXT NOT NULL DEFAULT '[]',
  rtt_ms BIGINT,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (activity, device)
);
CREATE INDEX activity_device_of ON activity_device (device);
