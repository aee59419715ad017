-- The agent that gave an answer, where a brain has several.
ALTER TABLE turns ADD COLUMN agent TEXT NOT NULL DEFAULT '';
