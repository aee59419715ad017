-- Personalities that devices ask for by a button, and what the lists of devices are filtered by.

-- Which ones a button may ask for: of the tenant (name ''), of a group, of a device (its id).
CREATE TABLE persona_policy (
  tenant TEXT NOT NULL REFERENCES tenant (id),
  kind TEXT NOT NULL CHECK (kind IN ('tenant', 'group', 'device')),
  name TEXT NOT NULL,
  personas TEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, name)
);

-- Devices that have another personality because of an emergency, and which one they get back.
CREATE TABLE emergency_persona (
  device TEXT PRIMARY KEY REFERENCES device (id),
  persona TEXT NOT NULL,
  previous TEXT,
  since BIGINT NOT NULL
);

ALTER TABLE rollout ADD COLUMN transition_message TEXT;

ALTER TABLE device ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN trouble TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN error TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN error_at BIGINT;
ALTER TABLE twin ADD COLUMN persona TEXT;
ALTER TABLE twin ADD COLUMN failed BIGINT NOT NULL DEFAULT 0;
UPDATE twin SET persona = (
  SELECT persona.id FROM device JOIN persona ON persona.tenant = device.tenant
  WHERE device.id = twin.device AND twin.desired LIKE '%"persona":{"id":"' || persona.id || '","etag":"' || persona.etag || '"}%'
);

CREATE INDEX emergency_of ON emergency (device, state);
CREATE INDEX device_member_group ON device_member (group_name, device);
CREATE INDEX uplink_of ON uplink (device, received_at, id);
