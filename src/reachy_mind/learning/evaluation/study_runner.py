"""`measure`: studies with several seeds, in processes of their own; what was measured already is not measured again."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from reachy_mind.errors import AssetError, WorkerError
from reachy_mind.learning.evaluation.studies import (
    AdaptationStudy,
    DemonstrationStudy,
    FeedbackStudy,
    ForgettingStudy,
    PracticeStudy,
    Study,
)
from reachy_mind.learning.evaluation.study_results import SeedResult, StudyResults, this_origin
from reachy_mind.learning.training.world import PracticeWorld


def stored(study: Study, folder: Path) -> StudyResults:
    """What is known of this study. A file of the same study with other settings counts as nothing."""
    known = StudyResults.load(folder / f"{study.name}.json")
    return known if known is not None and known.study == study else StudyResults(study=study)


def all_stored(folder: Path) -> list[StudyResults]:
    """Every study that was measured, by name. Raises AssetError for a file that can't be read."""
    found = [StudyResults.load(file) for file in sorted(folder.glob("*.json"))]
    return [each for each in found if each is not None]


def measure(
    studies: Sequence[Study],
    seeds: range,
    world: PracticeWorld,
    folder: Path,
    workers: int,
    told: Callable[[Study, SeedResult, int], None] = lambda _study, _result, _left: None,
) -> list[StudyResults]:
    """Measure what is missing, and return all results of these seeds. Each is on disk before `told` is called with it
    and with how many are left. Raises WorkerError when a process is killed; the same call then goes on."""
    results = {study.name: stored(study, folder) for study in studies}
    missing = [
        (study, seed)
        for seed in seeds
        for study in studies
        if seed not in {each.seed for each in results[study.name].seeds}
    ]
    if missing:
        origin = this_origin()
        with ProcessPoolExecutor(min(workers, len(missing)), multiprocessing.get_context("spawn"), _begin) as pool:
            jobs = {pool.submit(measured, study, world, seed): study for study, seed in missing}
            try:
                for left, (job, result) in _finished(jobs):
                    study, found = jobs[job], result.model_copy(update={"origin": origin})
                    results[study.name] = results[study.name].with_result(found)
                    results[study.name].save(folder)
                    told(study, found, left)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [each.only(seeds) for each in results.values()]


def measured(study: Study, world: PracticeWorld, seed: int) -> SeedResult:
    """One study with one seed. Needs PyTorch."""
    from reachy_mind.learning.evaluation import (  # noqa: PLC0415 -- PyTorch
        adaptation_study,
        demonstration_study,
        feedback_study,
        forgetting_study,
        practice_study,
    )

    begun = time.monotonic()
    match study:
        case DemonstrationStudy():
            result = demonstration_study.measured(study, world, seed)
        case PracticeStudy():
            result = practice_study.measured(study, world, seed)
        case FeedbackStudy():
            result = feedback_study.measured(study, world, seed)
        case AdaptationStudy():
            result = adaptation_study.measured(study, world, seed)
        case ForgettingStudy():
            result = forgetting_study.measured(study, world, seed)
    spent = round(time.monotonic() - begun, 2)
    return result.model_copy(update={"seconds": spent})


def _finished(jobs: Iterable[Future[SeedResult]]) -> Iterable[tuple[int, tuple[Future[SeedResult], SeedResult]]]:
    waiting = list(jobs)
    for done, job in enumerate(as_completed(waiting), 1):
        try:
            yield len(waiting) - done, (job, job.result())
        except BrokenProcessPool as error:
            hint = "the same command measures what is missing"
            raise WorkerError("a process that measured a study was killed", hint=hint) from error
        except OSError as error:
            raise AssetError(f"a study could not be measured: {error}", hint="is the disk full?") from error


def _begin() -> None:
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)  # small networks: more threads only wait for one another
