"""Names under which models, datasets, optimizers and schedules are found."""


class Registry:
    def __init__(self):
        self._tables = {"model": {}, "dataset": {}, "optimizer": {}, "lr_sched": {}, "task": {}}

    def _add(self, table, name):
        def wrap(obj):
            if name in self._tables[table]:
                raise KeyError(f"{table} {name!r} is registered twice")
            self._tables[table][name] = obj
            return obj

        return wrap

    def register_model(self, name):
        return self._add("model", name)

    def register_dataset(self, name):
        return self._add("dataset", name)

    def register_optimizer(self, name):
        return self._add("optimizer", name)

    def register_lr_sched(self, name):
        return self._add("lr_sched", name)

    def register_task(self, name):
        return self._add("task", name)

    def get(self, table, name):
        try:
            return self._tables[table][name]
        except KeyError:
            known = ", ".join(sorted(self._tables[table]))
            raise KeyError(f"unknown {table} {name!r}; registered: {known}") from None

    def names(self, table):
        return sorted(self._tables[table])


registry = Registry()
