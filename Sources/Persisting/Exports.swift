// A model's columns hold SQLiteKit's values, and a manager throws its errors: who imports Persisting has them too.
@_exported public import SQLiteKit
