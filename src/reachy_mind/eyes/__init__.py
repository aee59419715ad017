"""Computer vision: camera frames, face and object detection, tracking, OCR, scene questions, gaze."""
