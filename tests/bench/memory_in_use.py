"""Memory that a machine has at once, where a virtual machine first has to get it back from its host."""
import mmap
import threading
import time


class MemoryInUse:
    """Holds the free memory of the machine, at most so many bytes, and gives it back as it is needed, or so many bytes ahead.

    A virtual machine returns what is free to its host, here 250 MB every two seconds, and its processors stand still for 70 to
    200 ms meanwhile; a page that is taken again costs 4 ms for each 2 MB, in which a kernel without preemption runs nothing else
    on that processor, the laboratory's network neither. A machine that always has its memory knows nothing of it. So little is
    free that has not been returned before, and what is given back is taken again at once. That little lies scattered, and the
    kernel would join it by moving pages, here 600,000 in one transfer: meanwhile it does not, unasked."""

    STEP = 1 << 21  # a huge page
    RESERVE = 1 << 30  # stays free, and is not touched
    SETTLING = 8  # seconds, after which the host of the machine has it
    JOINING = "/proc/sys/vm/compaction_proactiveness"

    def __init__(self, most=1 << 62, ahead=0):
        self.left = []
        while (more := min(most - len(self.left) * self.STEP, sum(self.free()) - self.RESERVE)) > self.RESERVE // 16:
            self.take(more)
        time.sleep(self.SETTLING)
        self.level = sum(self.free()) + ahead
        self.over = threading.Event()
        self.giver = threading.Thread(target=self.give)

    def take(self, size):
        held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        held.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, size, 4096):
            held[at] = 1
        # Every other page first: neighbours that are free become one of 4 MB, and smaller ones would be used before it.
        steps = range(0, size - self.STEP + 1, self.STEP)
        self.left += [(held, at) for at in [*steps[1::2], *steps[::2]]]

    @staticmethod
    def free():
        """Bytes that are free for all, and that each processor keeps for who asks next on it."""
        pages = {"free": 0, "count:": 0}
        with open("/proc/zoneinfo") as file:
            for words in map(str.split, file):
                if len(words) > 1 and words[-2] in pages:
                    pages[words[-2]] += int(words[-1])
        return [count << 12 for count in pages.values()]

    def join_pages(self, value):
        """How eagerly the kernel moves pages to join those that are free; returns how eagerly it did. Not every kernel has it."""
        try:
            with open(self.JOINING, "r+") as file:
                before = file.read()
                file.seek(0)
                file.write(value)
            return before
        except OSError:
            return value

    def give(self):
        while not self.over.wait(0.01):
            for_all, kept = self.free()
            missing = max(self.level - for_all - kept, self.RESERVE // 2 - for_all)
            for _ in range(min(missing // self.STEP, len(self.left))):
                held, at = self.left.pop()
                held.madvise(mmap.MADV_DONTNEED, at, self.STEP)

    def __enter__(self):
        self.joining = self.join_pages("0")
        self.giver.start()

    def __exit__(self, *failure):
        self.over.set()
        self.giver.join()
        self.join_pages(self.joining)
        self.left.clear()
