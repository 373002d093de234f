/** Invented key slots, checks, copies and files on the disk. */
import type { Backend, EdgeFailure } from '../backend';
import type { ErrorCode, FileOnDiskView, HealthView, KeySlotView } from '../bindings';

/** What the core says of a passphrase that is too easy to guess. */
const SHORTEST = 8;
export const RECOVERY_CODE = '4T9K-0M2P-7QXA-W1DE-93HB-ZC5R-K8VN-2J6F-YSGT';

type Commands = Pick<
  Backend,
  | 'keySlots'
  | 'changePassphrase'
  | 'addPassphrase'
  | 'drawRecoveryCode'
  | 'removeKeySlot'
  | 'rekey'
  | 'checkVault'
  | 'repairVault'
  | 'backUp'
  | 'restoreBackup'
  | 'exportMemories'
  | 'importArchive'
  | 'filesOnDisk'
  | 'prove'
  | 'storage'
>;

/** What opens the invented vault, and whether something is wrong with it. */
export interface Keys {
  slots: { kind: string; secret: string }[];
  damaged: boolean;
}

export function vaultCommands(
  keys: Keys,
  memories: (contains?: string) => number,
  failure: (code: ErrorCode, args?: Record<string, string>) => EdgeFailure,
): Commands {
  const view = (): KeySlotView[] =>
    keys.slots.map(({ kind }, at) => ({
      number: at + 1,
      kind,
      memory_mib: kind === 'passphrase' ? 64 : 0,
      passes: kind === 'passphrase' ? 3 : 1,
    }));
  const opened = (secret: string) => {
    const at = keys.slots.findIndex((slot) => slot.secret === secret);
    if (at < 0) throw failure('wrong_passphrase');
    return at;
  };
  const strong = (secret: string) => {
    if (secret.length < SHORTEST) throw failure('weak_passphrase', { advice: '' });
    return secret;
  };
  const draw = () => {
    keys.slots = keys.slots.filter((slot) => slot.kind !== 'recovery_code');
    keys.slots.push({ kind: 'recovery_code', secret: RECOVERY_CODE });
    return RECOVERY_CODE;
  };
  const damage: HealthView['findings'] = [
    {
      kind: 'damaged_page',
      fault: true,
      place: 'traces',
      sentence: 'A page of traces is damaged: its bytes are not those that were written.',
      remedy:
        'Repair saves every row that can be read into a new file and sets this one aside; a backup has the rest.',
    },
  ];
  const broken = (place: string) => ({
    kind: 'structure',
    fault: true,
    place,
    sentence: `The structure of the database is broken: ${place}.`,
    remedy: damage[0]?.remedy ?? '',
  });
  damage.push(broken('Tree 65 page 65: btreeInitPage() returns error code 11'));
  damage.push(broken('wrong # of entries in index traces_by_time'));
  const health = (): HealthView => ({
    sound: !keys.damaged,
    findings: keys.damaged ? damage : [],
    repair: null,
  });
  return {
    keySlots: async () => view(),
    changePassphrase: async (current, next) => {
      const at = opened(current);
      keys.slots[at] = { kind: 'passphrase', secret: strong(next) };
      return view();
    },
    addPassphrase: async (current, next) => {
      opened(current);
      keys.slots.push({ kind: 'passphrase', secret: strong(next) });
      return view();
    },
    drawRecoveryCode: async (current) => {
      opened(current);
      return draw();
    },
    removeKeySlot: async (current, number) => {
      opened(current);
      keys.slots.splice(number - 1, 1);
      return view();
    },
    rekey: async (current) => {
      const mine = keys.slots[opened(current)];
      const had = keys.slots.some((slot) => slot.kind === 'recovery_code');
      const gone = keys.slots.length - 1 - Number(had);
      keys.slots = mine ? [mine] : [];
      return { recovery_code: had ? draw() : null, slots_gone: gone, keychain: null };
    },
    checkVault: async () => health(),
    repairVault: async (passphrase) => {
      opened(passphrase);
      if (!keys.damaged) return health();
      keys.damaged = false;
      return {
        ...health(),
        repair: {
          before: damage,
          saved: { memories: memories(), traces: 41 },
          lost: ['traces: the rows numbered 7 to 9 are lost.'],
          set_aside: '/home/ada/.local/share/lethescope/vault/damaged-1',
        },
      };
    },
    backUp: async (path, keep) => ({
      file: path.endsWith('.tar') ? path : `${path}/lethescope-20260518T093000Z.tar`,
      memories: memories(),
      set_aside: null,
      removed: keep === null ? [] : [`${path}/lethescope-20260401T093000Z.tar`],
    }),
    restoreBackup: async (path, passphrase) => {
      opened(passphrase);
      return {
        file: path,
        memories: memories(),
        set_aside: '/home/ada/.local/share/lethescope/vault/before-restore-1',
        removed: [],
      };
    },
    exportMemories: async (path, form) => ({
      file: path,
      memories: memories(),
      plaintext: form !== 'archive',
      unreadable: 0,
    }),
    importArchive: async (_path, passphrase, prefer) => {
      opened(passphrase);
      return {
        added: 2,
        known: memories(),
        forgotten: 1,
        differing: ['m3', 'm9'],
        replaced: prefer,
        documents: 0,
        research: 1,
        golden_queries: 0,
      };
    },
    filesOnDisk: async () => files(''),
    prove: async (word) => {
      if (word.trim().length < 6)
        throw failure('bad_request', { what: 'word', expected: 'six letters or more' });
      return { memories: memories(word), files: files(word) };
    },
    storage: async () => [
      { kind: 'memories', bytes: 1_843_200, rows: memories() },
      { kind: 'keywords', bytes: 3_481_600, rows: memories() },
      { kind: 'vectors', bytes: 2_129_920, rows: memories() * 2 },
      { kind: 'history', bytes: 204_800, rows: 27 },
      { kind: 'other', bytes: 57_344, rows: null },
      { kind: 'free', bytes: 0, rows: null },
    ],
  };
}

/** Bytes that look like encrypted ones and are the same every time. */
function noise(seed: number): string {
  let state = seed;
  return Array.from({ length: 64 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return ((state >> 16) & 255).toString(16).padStart(2, '0');
  }).join('');
}

function files(word: string): FileOnDiskView[] {
  const readable = '{\n  "format": "lethescope-keys",\n  "version": 1,\n  "slots": [\n';
  const hex = [...readable].map((one) => one.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [
    { name: 'vault.db', bytes: 7_716_864, head: noise(7), found: 0 },
    { name: 'vault.db-wal', bytes: 263_712, head: `377f0682${noise(11).slice(8)}`, found: 0 },
    { name: 'vault.db-shm', bytes: 32_768, head: '00'.repeat(64), found: 0 },
    { name: 'vault.keys', bytes: 742, head: hex, found: word === 'argon2id' ? 1 : 0 },
  ];
}
