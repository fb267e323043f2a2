// A cluster's manager is Persisting's, so importing DqliteKit also imports its models, methods and errors.
@_exported public import Persisting
