"""Counts the bytes that tensors hold, for tests of memory and for benchmarks."""
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

class Tracker(TorchDispatchMode):
    "Counts the bytes of all tensors that are made while it is active; `known` tensors are left out"
    def __init__(self, known=()):
        super().__init__()
        self.now = self.peak = 0 # bytes
        self.seen = weakref.WeakKeyDictionary({t.untyped_storage(): 0 for t in known})

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in torch.utils._pytree.tree_leaves(out):
            if isinstance(tensor, torch.Tensor): self._count(tensor)
        return out

    def _count(self, tensor):
        storage = tensor.untyped_storage()
        if storage in self.seen: return
        self.seen[storage] = storage.nbytes()
        self.now += storage.nbytes()
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self._free, storage.nbytes())

    def _free(self, size): self.now -= size
