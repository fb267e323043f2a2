/// Names that a generated class and its members must not have.
enum TakenNames {
    /// Types of Swift, Foundation, Persisting and SQLiteKit. A class of the same name would hide the type in the whole
    /// program.
    static let types = words(
        """
        ActiveRecord Actor Aggregate AggregateFunction Alias Any AnyClass AnyObject AnyTransform ApplicationID
        AppliedMigration Arguments Array AuthorizerAnswer AuthorizerRequest Backup BitField Blob Bool Bundle
        CSVFormat CSVRow Calculation ChangeFilter ChangeSequence ChangeToken Changeset ChangesetSession
        Character Checkpoint CheckpointMode Codable CodingKeyStrategy Collation ColumnDeclaration ColumnRead
        ColumnSource ColumnType Columns CommittedChanges Comparable ComparedValue ConflictResolution
        ConnectionFlag Constraint Criteria Data Database DatabaseAccess DatabaseConfiguration
        DatabaseConnections DatabaseKey DatabaseLocation DatabasePool DatabaseQueue DatabaseSchema Date DatePart
        DateStorage DateUnit Decimal Decodable Dictionary DictionaryKeys Double Encodable EncodedJSON
        Equatable Error ExportDestination ExportSequence ExportWriter FTS5MatchedRow FTS5Query FTS5TokenReason
        FTS5TokenSink FTS5Tokenizer FetchedResultsChange FetchedResultsChanges FetchedResultsController
        FileKeys Float ForeignKeyAction ForeignKeyViolation FoundRelated Foundation FullTextDeclaration
        FullTextExcerpt FullTextHit FullTextIndex FullTextIndexes FullTextIndexing FullTextMode
        FullTextStemmer FullTextTokenizer FunctionArguments FunctionFlags GeneratedStorage GroupKey Hashable
        History HistoryChange HistoryCommit HistoryCommits HistoryToken HistoryTransaction Identifiable
        ImportCommit ImportConflict ImportErrors ImportFailure ImportPosition ImportReader ImportReport
        ImportSource Index Int Int64 Interrupter InvalidText InvalidValues JSON JSONFormat JSONSource
        JournalMode Limit LiveObjects Loadable Locale ManyToMany MergeSide Migration ModelChange
        ModelExpression ModelRow ModelSchema NameText Naming Never NilPlacement NoSuchProperty Notification
        NullHandling ObjectSequence ObservedValues Optional Ordering ParameterSink PersistenceError
        PersistenceManager Persisting PersistingModel PreUpdate PrimaryKey PropertyOfTheClass Protocol Query
        QueryPlan Range ReadConsistency RelatedLoad RelatedValue Relation RelationDeclaration RelationLoading
        Relations RemoteMapping Result ResultCode ResultSet Row RowChange RowChangeKind RowReading RowSequence
        RowSnapshot SQL SQLText SQLiteError SQLiteExtension SQLiteKit SQLiteLibrary SQLiteValue
        SQLiteValueConvertible SaveConflict SchemaPlan Sections Selection Self Sendable Sequence Set Snapshot
        SortDirection Statement StorageClass String Subquery Substring SynchronizationResult SynchronousMode
        TableAlteration TableOptions TableRequest Task TextComparison TextOptions TimeZone ToMany ToManyRelation ToOne
        Trace TransactionKind Transform Type UInt URL UUID UUIDStorage UndoHistory UnknownKeys UnknownKind
        ValidationFailure ValueComparison Void WALCommit WindowFunction
        """)

    /// What objects of all classes have. A property of the same name would hide it, or not compile.
    static let members = words(
        """
        add changedKeys copy copyValues delete dictionary didDelete didInsert didUpdate forgetRelated
        hasChanges hash hashValue insert isDeleted isLoaded isPersisted isSameRow jsonObject load merge
        primaryKeyValue refresh related remove replace rows save set setValue setValues snapshot storedValue
        update upsert validate value willDelete willInsert willUpdate write
        """)

    /// What all classes have, which the names of relations and indexes must not hide.
    static let classMembers = words(
        """
        aliases all bitFields calculations columns count create createIndexStatements createTableStatement
        deleteAll deleteStatement find findOne findOrCreate formerTableNames fullTextIndexes history indexes
        insertStatement kind kindColumn limit manager naming primaryKey relations remoteMapping row rows
        schema schemaName selection sorted subclasses synchronize tableName tableOptions transforms
        transientKeys unknownKind updateStatement upsert upsertAll versionKey where whereClause with
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0.isNewline }.map(String.init))
    }
}
