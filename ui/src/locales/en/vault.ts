/** The encrypted file, and how the window looks and behaves. */
export const vault = {
  title: 'Vault',
  demoNote:
    'This is the demo memory. It is built anew from the logs that ship with the program whenever it is missing. Leave it to open or create your own vault.',
  where: 'Where your data lives',
  whereText:
    'Everything is in this one folder: memories, indexes, vectors, settings, traces. Nothing leaves this machine, unless you set up a reranking service in Settings.',
  vaultFile: 'the encrypted database (SQLCipher)',
  keysFile: 'the data key, wrapped by your passphrase',
  lock: 'Lock now',
  leaveDemo: 'Leave the demo',
  lockText:
    'Locking closes the file and forgets the key. It happens by itself, too, when nobody touches the window.',
  backup: 'Back up',
  backupText:
    'Lock the vault (or close the program), then copy the whole folder to a safe place. Both files belong together: without vault.keys the database can’t be opened, and without your passphrase neither can.',
  restoreText: 'To restore, put both files back into this folder while the program is closed.',
  health: 'What is inside',
  table: 'Table or index',
  rows: 'Rows',
  embedding: 'Embeddings',
  embedded: (done: string, total: string) => `${done} of ${total}`,
  vectorsOf: (model: string) =>
    `The vectors here come from ${model}. They are being made anew; until then keywords answer.`,
  model: 'Model',
  models: {
    loading: 'being loaded',
    ready: (id: string, dimension: number) => `${id}, ${dimension} dimensions`,
    missing: 'missing',
    failed: 'could not be loaded',
  },
  latency: {
    title: 'Query times',
    none: 'Ask something in the X-ray, and its stages’ times appear here. The last 500 queries are kept.',
    finding: (n: number, half: string, stage: string) =>
      n === 1
        ? `The one query asked so far took ${half}; ${stage} takes the longest.`
        : `Half of the last ${n} queries took at most ${half}; ${stage} takes the longest.`,
    recent: (n: number, slowest: string) =>
      `Times of the last ${n} queries, the oldest on the left, the slowest ${slowest}`,
    stage: 'Stage',
    ran: 'Ran',
    p50: 'Half within',
    p95: '95 % within',
    slowest: 'Slowest',
    whole: 'whole query',
  },
  versions: 'Versions',
  schema: 'Vault schema',
  program: 'Lethescope',
  refresh: 'Refresh',
};

export const settings = {
  title: 'Settings',
  look: 'Look',
  theme: 'Theme',
  themes: { system: 'as the system', light: 'light', dark: 'dark' },
  density: 'Rows',
  densities: { comfortable: 'comfortable', compact: 'compact' },
  safety: 'Safety',
  lockAfter: 'Lock after',
  lockChoices: {
    '1': '1 minute',
    '5': '5 minutes',
    '15': '15 minutes',
    '30': '30 minutes',
    '60': '1 hour',
    '0': 'never',
  } as Record<string, string>,
  lockHint: 'without input. Locking closes the file and forgets the key.',
  minutes: (n: number) => `${n} minutes`,
  retrieval: 'Retrieval',
  preset: 'Preset',
  presetOwn: 'Your own preset.',
  keyboard: 'Keyboard',
  places: { everywhere: 'Everywhere', xray: 'In the X-ray', lists: 'In lists' },
  keys: {
    palette: 'commands',
    section: 'go to a section',
    undo: 'take the last change back',
    close: 'close what was opened last',
    query: 'type a query',
    history: 'past queries',
    constants: 'more or fewer constants',
    stage: 'open or close a stage',
    judge: 'judge the result that has the focus',
    move: 'move',
    open: 'open',
    select: 'select',
    selectAll: 'select all that is in sight',
    edit: 'edit',
    remove: 'move to the trash',
  },
};
