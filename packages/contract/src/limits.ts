/** Every limit a caller can reach. Text is counted in Unicode code points. */
export const limits = {
  pageSize: { default: 25, max: 100 },
  /** Cards a page of a section of the board holds. */
  boardSection: { default: 100, max: 1000 },
  bodyBytes: 8 * 1024 * 1024,
  webhookBytes: 1024 * 1024,
  /** Holds a tree of segments with its deepest level. */
  jsonDepth: 72,
  /** Of a body: values of lists and objects, empty ones too. A body of millions of them takes seconds and a gigabyte to read. */
  jsonValues: 200_000,
  idempotencyKey: 255,
  prompt: 500_000,
  attachment: {
    bytes: 10 * 1024 * 1024,
    /** Holds the bytes in base64. */
    bodyBytes: 14 * 1024 * 1024,
    name: 255,
    /** Files that one prompt may name. References beyond them stay text. */
    perPrompt: 20,
    /** Of all sessions. An agent in a loop must not fill the disk. */
    totalBytes: 10 * 1024 ** 3,
    /** What the smallest file counts as, so that no loop stores millions of empty files. */
    countedBytes: 64 * 1024,
  },
  goal: 50_000,
  title: 100,
  slug: 255,
  gitRoot: 2048,
  /** git stores a ref as a file name with `.lock` appended. */
  branch: 250,
  subdirectory: 1024,
  /** The part of a session tree that is shown with one session. */
  hierarchy: { levels: 8, sessions: 150 },
  /** Sessions that are not archived: children that an agent may start, and all sessions of the tree it belongs to. */
  agentChildren: { perSession: 50, perTree: 200 },
  humanMessage: 500_000,
  precedence: { min: -1_000_000_000, max: 1_000_000_000 },
  autoCompactWindow: { min: 1, max: 1_000_000 },
  /** Sessions that one bulk archive may archive, and that one refresh of all may continue. */
  bulkArchive: 100,
  refreshAll: 50,
  heartbeatIntervalSeconds: { min: 30, max: 86_400, default: 60 },
  mcpServers: 50,
  catalogSkills: 100,
  catalogHooks: 100,
  catalogPlugins: 50,
  sessionNotes: 50_000,
  elicitation: {
    requestId: 255,
    message: 10_000,
    /** Of the requested schema, of `_meta` and of an answer, as JSON. */
    objectCharacters: 65_536,
    bodyBytes: 512 * 1024,
    /** Of one session. An agent in a loop must not flood the people who answer. */
    pending: 100,
    windowMinutes: { min: 1, max: 7 * 24 * 60, default: 60 },
  },
  notificationMessage: 1000,
  /** About one session. An agent in a loop must not flood people. */
  agentMessagesPerHour: 20,
  pushEndpoint: 2048,
  /** Beyond this, the browser that subscribed longest ago is removed. */
  pushSubscriptions: 100,
  userAgent: 500,
  personKey: 64,
  personName: 100,
  chatUserId: 64,
  accountName: 255,
  accountCredentials: 20_000,
  loginCode: 2000,
  triggerName: 255,
  triggerConditions: 50,
  backlog: {
    key: 200,
    surface: 200,
    title: 1000,
    kind: 100,
    issueUrl: 2048,
    gateVerdict: 200,
    addedBy: 100,
    reason: 1000,
    payloadBytes: 64 * 1024,
    precedence: { min: -(2 ** 31), max: 2 ** 31 - 1 },
    /** Items that one call may start, and that it may remove as dead. */
    pull: 10,
    dead: 100,
  },
  categoryName: 100,
  categoryDescription: 1000,
  searchQuery: 1000,
  /** Sessions that one content search covers; the cursor continues after them. */
  contentSearchCandidates: 50_000,
  outcomeNotes: 1000,
  /** Sessions that one call may name, and that its filters may find. */
  analysisBatch: { named: 100, found: 500, concurrency: { min: 1, max: 20, default: 3 } },
  segmentTree: { segments: 5000, depth: 32, goal: 500, explanation: 140, metaText: 200, problems: 50 },
  gateDecision: {
    surface: 200,
    decision: 200,
    title: 1000,
    url: 2048,
    payloadBytes: 512 * 1024,
    verdict: 200,
    note: 20_000,
    author: 100,
  },
  budgetUsd: { min: 0.01, max: 1_000_000_000 },
  budgetTokens: 1_000_000_000_000,
  /** Downloads of the transcript archive that a host sends at a time. */
  archiveDownloads: 4,
  costsWindowDays: { min: 1, max: 365, default: 7 },
  archiveOldDays: { min: 1, max: 365, default: 7 },
  recoveryMinutes: { min: 5, max: 240, default: 60 },
  rescheduleMinutes: { min: 0, max: 10_080, default: 0 },
  /** Queued jobs that one call may discard or reschedule. */
  queuedJobs: 2000,
  /** Failed sessions that one call retries when it names none. */
  retrySessions: 10,
  /** Between two runs of the same maintenance action with the same key. */
  maintenanceCooldownSeconds: 30,
  subagentId: 255,
  subagentText: 10_000,
  toolResultText: 500,
  entryPage: { min: 1, max: 500, default: 200 },
  /** Bytes of a part in a page of entries. */
  entryPartBytes: 8192,
  entryParts: 100,
  unknownEntryText: 1000,
} as const
