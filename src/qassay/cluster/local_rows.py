"""A small data set, whose blocks are scored in this process: starting Ray and its workers would take longer."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


@dataclasses.dataclass(frozen=True)
class LocalRows:
    """Blocks of rows, with the methods of `ray.data.Dataset` that scoring uses.

    Attributes:
        blocks: gives all of them, in order.
        first_schema: the columns and their types, where all blocks have the same.
    """

    blocks: Callable[[], Iterator["pa.Table"]]
    first_schema: "pa.Schema | None" = None

    def schema(self) -> "pa.Schema | None":
        """The columns of all blocks, None if there are no rows. Arrow raises its own error where the types of blocks differ."""
        import pyarrow as pa

        if self.first_schema is not None:
            return self.first_schema
        schemas = [block.schema for block in self.blocks() if block.num_rows]
        return pa.unify_schemas(schemas) if schemas else None

    def map_batches(self, function: Callable[..., Any], fn_args: Sequence[Any] = (), **_: Any) -> "LocalRows":
        """Apply a function to each block, which returns one or several tables; arguments for Ray are ignored."""
        return LocalRows(functools.partial(_mapped, self.blocks, function, fn_args))

    def select_columns(self, names: Sequence[str]) -> "LocalRows":
        """The columns of these names."""
        rows = self.map_batches(lambda block: block.select(names) if block.num_rows else block)
        schema = self.first_schema
        return rows if schema is None else dataclasses.replace(rows, first_schema=chosen_fields(schema, names))

    def union(self, other: "LocalRows") -> "LocalRows":
        """All blocks of both."""
        return LocalRows(functools.partial(_one_after_another, self.blocks, other.blocks))

    def repartition(self, _: int | None, keys: Sequence[str]) -> "LocalRows":
        """All rows as one block, which has all rows of each value of the keys."""
        return LocalRows(functools.partial(_together, self.blocks))

    def iter_batches(self, **_: Any) -> Iterator["pa.Table"]:
        """The blocks."""
        return self.blocks()

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        """The rows, as dicts."""
        return (row for block in self.blocks() for row in block.to_pylist())

    def take_all(self) -> list[dict[str, Any]]:
        """All rows, as dicts."""
        return list(self.iter_rows())


def chosen_fields(schema: "pa.Schema", names: Sequence[str]) -> "pa.Schema":
    """The columns of these names."""
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in names])


def _mapped(
    blocks: Callable[[], Iterator["pa.Table"]], function: Callable[..., Any], arguments: Sequence[Any]
) -> Iterator["pa.Table"]:
    for block in blocks():
        made = function(block, *arguments)
        if isinstance(made, Iterator):
            yield from made
        else:
            yield made


def _one_after_another(*parts: Callable[[], Iterator["pa.Table"]]) -> Iterator["pa.Table"]:
    for blocks in parts:
        yield from blocks()


def _together(blocks: Callable[[], Iterator["pa.Table"]]) -> Iterator["pa.Table"]:
    import pyarrow as pa

    tables = [block for block in blocks() if block.num_rows]
    if tables:
        yield pa.concat_tables(tables, promote_options="permissive")
