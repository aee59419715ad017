"""cp1: the protocol between a device and the control plane ("hub" below). WebSocket subprotocol `cp1`.

Three kinds of data, three treatments:

- **State** is a twin: the hub's `desired` and the device's `reported`, versioned, the last one wins. It is sent again
  at each connection, so a lost message loses nothing.
- **Events** are a log: stored by the sender before they count as accepted, sent until they are acknowledged, stored by
  the receiver together with their sequence number in one transaction, and only then acknowledged. At least once on the
  wire, once in the receiver's store.
- **Streams** (audio) are lossy: binary frames, never stored, dropped when a peer is slow.

## Frames

A text frame is a JSON object of at most 64 KiB:

    {"c":"9ae0daaf","v":1,"id":"0190...","type":"button.pressed","ts":1790000000000,"seq":7,"ack":3,"p":{...}}

    c     CRC-32 of everything after its comma, eight hex digits. Optional, always the first field. Frames of ours
          have it: without TLS nothing else notices a damaged frame whose text still parses.
    v     1
    id    UUID of the message (version 7: they sort by time); the same in every repetition
    type  words of lower-case letters joined by dots
    ts    when it was accepted, by the sender's clock, in ms since 1970. Only for people: no decision depends on it.
    seq   number in the lane of its sender, from 1. Events have it; what is said about the connection itself has not.
    skip  how many numbers right before `seq` the sender dropped because its store was full; default 0
    prio  0 emergency, 1 usual (default), 2 may be dropped first. 0 is a lane of its own with its own numbers.
    ack   all events of the usual lane up to this number are stored by the sender of this frame
    ack0  the same for the emergency lane
    exp   after this time (ms since 1970, the hub's clock) it is not to be carried out any more
    re    id of the message that this one answers
    p     what it says

A binary frame, at most 256 KiB, is audio: a header of 16 bytes (`audio.py`) and samples.

## Connection

The device opens `/fleet/v1/device/connect` with `Authorization: Bearer dev_ID_SECRET`; the token says which device it
is. It sends `hello`, the hub answers `welcome`, then both send events after what the other side already has:

    device -> hello    {"device","boot","epoch","down":{"epoch","seq","seq0"},"twin","reported","agent","caps"}
    hub    -> welcome  {"conn","generation","up":{"seq","seq0"},"down","time","limits","desired"}

`epoch` names the device's store: a new SD card begins a new epoch, and its numbers begin at 1 again. `down.epoch` names
the hub's numbering for this device in the same way. `up` is what the hub has of this epoch: the device removes that and
sends the rest. When `up` is more than it ever sent, its store was set back to an older copy: it begins a new epoch.
`boot` is the id of this start of the device. `desired` is there when the device has another version
(`twin`) of it.

A new connection of a device fences the old one: it takes the next `generation`, every store of an event checks the
generation in its own transaction, and the old connection is closed with 4001.

## Events

At most 32 events of the usual lane are unacknowledged; emergencies are sent first and outside of that window. The
receiver compares `seq` with the highest number it has stored (`high`), in the transaction that stores the event:

    seq <= high             a repetition: acknowledge again, ignore (if it has the id of the event that is stored;
                            otherwise two stores use one epoch: close with 4011, and the device begins a new epoch)
    seq - skip <= high + 1  new: store the event and `high = seq` together, then acknowledge
    otherwise               a gap: close with 4009; the sender connects again and sends what is missing

Events that a device sends: `button.pressed`, `emergency.pressed`, `emergency.cancelled`, `utterance.recorded`,
`activity.ready`, `activity.ended`, `command.done`, `device.started`, `error.reported`. The hub sends commands: `speak`,
`audio.play`, `activity.prepare|start|pause|resume|end`, `playback.sync`, `restart`, and `emergency.acknowledged`. A
device answers a command with `command.done`, `re` its id. Handling is idempotent by `id`. Unknown types are stored like
all others: they do no harm and wait for a newer program.

## State

    hub    -> twin.desired   {"version","persona":{"id","etag"}|null,"config":{...},"volume":0..100|null}
    device -> twin.reported  {"version","persona","config","volume","errors":{"persona": "why it could not be applied"}}

The device stores a desired state with a higher version, applies it, and reports. It fetches a personality's texts from
`/fleet/v1/device/personas/ID/ETAG` and checks that they have this SHA-256.

`config.transition_message` is what a device says once another personality is applied, "" for nothing; without the key
it says the greeting of that personality. It comes and goes with the change of the personality, in one version.

`button.pressed` and `emergency.pressed` may have `request_persona`: the hub makes it the desired one, if its policy
allows it, and gives back the former one when the emergency is closed.

## Time

    device -> clock.ping  {"t0"}              its monotonic clock, in ms with a fraction
    hub    -> clock.pong  {"t0","t1","t2"}    the same t0; the hub's clock at arrival and at the answer, ms since 1970

They are about the connection: without a number, never stored, answered at once. A device asks eight times after each
welcome, then every 30 s; eight times and then every second while an activity is prepared or goes on. From the answers
it estimates offset and drift (`fleet/activities/clock_estimate.py`); the estimate outlives the connection. What no
estimate can see is a path that takes longer in one direction: half of the difference stays as an error, the same for
all devices on that path. Nodes are expected to have the same time (NTP).

## Activities

Several devices play one timeline: parts (sounds, sentences, beeps, moves), each at a time of the timeline. Commands of
the hub and events of the device, with the models in `fleet/activities/payloads.py`:

    hub    -> activity.prepare  {"activity","kind","parts":[...],"language"}  fetch the clips, make the sentences
    device -> activity.ready    {"activity","ok","error","part_ms":[...],"rtt_ms","clock_error_ms"}
    hub    -> activity.start    {"activity","at","position_ms","times_ms":[...]}
    hub    -> activity.pause    {"activity","at","position_ms"}
    hub    -> activity.resume   {"activity","at","position_ms"}
    hub    -> activity.end      {"activity","reason","say"}
    device -> activity.ended    {"activity","reason","position_ms","errors":[...]}

`at` is a time of the hub's clock, in ms since 1970: then the timeline stands at `position_ms`. It is at least 500 ms,
and four times the longest usual round trip of the devices, ahead. `part_ms` are the durations of the parts on this
device (sentences last as long as its voice needs); from those of all devices the hub makes `times_ms`, when each part
begins. A device that gets `activity.start` late, or comes back after a restart, begins in the middle, at the position
of the others. One that leaves changes nothing for them. A device keeps what it was told on its disk; each command may
come twice.

## Voice

    device -> voice.open, voice.close, voice.played        hub -> voice.opened, voice.refused, voice.state,
                                                                  voice.flush, voice.heard, voice.said, voice.ended

A spoken conversation of the device at the hub: `voice_messages.py`. These messages have no number and are not stored;
the sound is in binary frames of the same stream. The hub sends sound about a second ahead of what the device says it
has played, and ends a session of which 5 s were not played. A session ends with its connection.

## Liveness

WebSocket pings every 10 s, 5 s for the answer. `heartbeat` every 30 s with temperature, number of stored events, clock
offset and versions; after two missed ones a device counts as offline. `ack` frames carry nothing but `ack` and `ack0`.

## Where WebSocket is blocked

`POST /fleet/v1/device/exchange` takes `{"conn"?, "frames": [...], "wait_s"}` and returns `{"conn", "frames": [...]}`:
the same frames, in the same order, `hello` first. The answer waits up to `wait_s` for something to say. An emergency is
posted there too when the WebSocket gives no acknowledgement within 2 s: its id and number make the repetition harmless.

## Close codes

`close_codes.py`: 4000 not understood, 4001 replaced by a newer connection, 4003 revoked, 4008 too many messages,
4009 gap, 4010 too slow to read, 4011 the epoch belongs to another store; 1001 the hub is ending, 1007 damaged frame,
1009 too large, 1013 try again later (its store can't be written). After 4003 a device stops and asks to be enrolled;
after any other it connects again, with delays that grow from 0.5 s to 15 s, each multiplied by a random factor; a
button press tries at once.
"""
