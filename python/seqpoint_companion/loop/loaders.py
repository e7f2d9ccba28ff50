"""What is replaced in loaders: `DataLoader.__iter__`, and the property that returns its sampler.

Also what other loaders do with PyTorch's iterators."""

import functools
import os

from .. import ranks


def change_torch(module, loaders):
    loader = module.DataLoader
    own = loader._index_sampler.fget

    def index_sampler(instance):
        sampler = own(instance)
        return sampler if loaders.job is None else loaders.job.sampler_of(instance, sampler)

    loader._index_sampler = property(index_sampler)
    loader.__iter__ = held(loader.__iter__, loaders)
    change_iterators(module, loaders)


def change_iterators(module, loaders):
    """Observes streams of loaders that are no DataLoader, and use its iterators."""
    kind = module._BaseDataLoaderIter
    own, own_iter = kind.__init__, kind.__iter__

    @functools.wraps(own)
    def __init__(iterator, loader, *arguments, **named):
        own(iterator, loader, *arguments, **named)
        streams = iterator._dataset_kind == module._DatasetKind.Iterable
        if streams and not isinstance(loader, module.DataLoader):
            iterator._loader_of_job = loader

    def __iter__(iterator):
        loader = vars(iterator).pop("_loader_of_job", None)
        if loader is None:
            return own_iter(iterator)
        first = [iterator]

        def begin(loader):
            return first.pop() if first else type(iterator)(loader)

        return held(begin, loaders)(loader)

    kind.__init__, kind.__iter__ = __init__, __iter__


def change_accelerate(module, loaders):
    """Observes Accelerate's loaders, which fetch one batch ahead, not those inside them."""
    for loader in (module.DataLoaderShard, module.DataLoaderDispatcher):
        loader.__iter__ = held(loader.__iter__, loaders)


def change_torchdata(module, loaders):
    """StatefulDataLoader makes an iterator if its state is read before the first batch.

    That iterator uses the loader's own sampler and has not delivered a batch, so it is made again.
    """
    loader = module.StatefulDataLoader
    own, own_state = loader.__iter__, loader.state_dict

    def state_dict(instance):
        if instance._iterator is None:
            from .stateful import Before

            vars(instance).update(_before_iterator=Before(instance))
        return own_state(instance)

    def __iter__(instance):
        if instance._initial_iter_for_state_dict:
            return instance._before_iterator.make_anew(instance, lambda: own(instance))
        return own(instance)

    loader.state_dict = state_dict
    loader.__iter__ = held(__iter__, loaders)


def held(own, loaders):
    @functools.wraps(own)
    def __iter__(loader):
        is_worker = loaders.are_held() and os.getpid() != loaders.process  # of a loader
        if is_worker or ranks.are_left():
            return own(loader)
        return loaders.the_job().iterate(loader, functools.partial(own, loader))

    return __iter__
