// A cluster's manager is Persisting's: who imports DqliteKit has its models, verbs and errors too.
@_exported public import Persisting
