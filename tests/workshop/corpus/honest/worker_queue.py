"""A queue with workers."""

import asyncio
import random


async def worker_queue(jobs: int = 12) -> dict:
    """Work through a queue with three workers."""
    queue: asyncio.Queue[int] = asyncio.Queue()
    done: list[int] = []
    for job in range(jobs):
        queue.put_nowait(job)

    async def worker() -> None:
        while True:
            job = await queue.get()
            await asyncio.sleep(random.random() / 1000)
            done.append(job * job)
            queue.task_done()

    workers = [asyncio.create_task(worker()) for _ in range(3)]
    await queue.join()
    for task in workers:
        task.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    return {"done": sorted(done), "workers": len(workers)}
