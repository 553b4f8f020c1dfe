from ..core.callable_package import make_callable

make_callable(__name__)
