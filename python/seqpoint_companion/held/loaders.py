"""What is replaced in loaders: `DataLoader.__iter__`, and the property that returns its sampler."""

import functools
import os


def change_torch(module, holder):
    loader = module.DataLoader
    own = loader._index_sampler.fget

    def index_sampler(of):
        return own(of) if holder.job is None else holder.job.sampler_of(of, own(of))

    loader._index_sampler = property(index_sampler)
    loader.__iter__ = held(loader.__iter__, holder)


def change_accelerate(module, holder):
    """Observes Accelerate's loaders, which fetch one batch ahead, not those inside them."""
    for loader in (module.DataLoaderShard, module.DataLoaderDispatcher):
        loader.__iter__ = held(loader.__iter__, holder)


def change_torchdata(module, holder):
    """StatefulDataLoader makes an iterator if its state is read before the first batch.

    That iterator uses the loader's own sampler and has not delivered a batch, so it is made again.
    """
    loader = module.StatefulDataLoader
    own, own_state = loader.__iter__, loader.state_dict

    def state_dict(of):
        if of._iterator is None:
            from .stateful import Before

            vars(of).update(_before_iterator=Before(of))
        return own_state(of)

    def __iter__(of):
        if of._initial_iter_for_state_dict:
            return of._before_iterator.make_anew(of, lambda: own(of))
        return own(of)

    loader.state_dict = state_dict
    loader.__iter__ = held(__iter__, holder)


def held(own, holder):
    @functools.wraps(own)
    def __iter__(loader):
        if holder.holds() and os.getpid() != holder.process:  # a worker of a loader
            return own(loader)
        return holder.the_job().iterate(loader, functools.partial(own, loader))

    return __iter__
