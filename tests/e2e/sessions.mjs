// Invented sessions of a coding agent, shaped like real ones: most records are tool calls and their results, test
// runs that differ in a figure, numbered listings, coloured output, JSON, summaries after a compaction, and among them
// a few sentences that matter: decisions, one of them reversed, causes, wishes. The same for the same seed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { seeded } from './invented.mjs';

const DAY = 86_400_000;
const pick = (random, list) => list[Math.floor(random() * list.length)];
const whole = (random, low, high) => low + Math.floor(random() * (high - low + 1));

/** Three projects with their vocabulary. */
const PROJECTS = {
  harbor: {
    folder: '/home/dana/work/harbor',
    language: 'ex',
    test: 'mix test',
    modules: ['Berth', 'Tide', 'Manifest', 'Crane', 'Customs', 'Pilot', 'Quay', 'Ledger'],
    files: ['berth.ex', 'tide.ex', 'manifest.ex', 'crane_scheduler.ex', 'customs_form.ex', 'pilot_rota.ex'],
    folders: ['lib/harbor', 'lib/harbor_web', 'test/harbor', 'config'],
  },
  orchard: {
    folder: '/home/dana/work/orchard',
    language: 'ts',
    test: 'npx vitest run',
    modules: ['Basket', 'Picker', 'Harvest', 'Crate', 'Weather', 'Irrigation', 'Pricing'],
    files: ['basket.ts', 'picker.ts', 'harvest.ts', 'crate.ts', 'weather.ts', 'pricing.ts'],
    folders: ['src/domain', 'src/http', 'src/ui', 'test'],
  },
  lantern: {
    folder: '/home/dana/work/lantern',
    language: 'rs',
    test: 'cargo test',
    modules: ['Beam', 'Wick', 'Lens', 'Shutter', 'Signal', 'Fuel'],
    files: ['beam.rs', 'wick.rs', 'lens.rs', 'shutter.rs', 'signal.rs', 'fuel.rs'],
    folders: ['src', 'src/optics', 'tests'],
  },
};

/** The sessions, oldest first: project, days ago, length in turns, and what is said that matters, by turn. */
const SESSIONS = [
  {
    project: 'harbor',
    ago: 41,
    turns: 130,
    title: 'Get the berth allocation service to start in the container and answer health checks',
    said: {
      14: [
        'assistant',
        'The development server listens on port **4117**; I set it in `config/dev.exs` because 4000 is taken by the docs site on this machine.',
      ],
      52: [
        'user',
        'Please never run the migrations by yourself on the shared database. Ask me first, always.',
      ],
      88: [
        'assistant',
        'Decision: berth locks are stored in PostgreSQL advisory locks, since the pool already talks to PostgreSQL and we need no second service.',
      ],
    },
  },
  {
    project: 'harbor',
    ago: 33,
    turns: 150,
    title: 'Tide tables are off by an hour after the clocks change',
    said: {
      31: [
        'assistant',
        'Root cause of the tide offset: `Tide.Table.parse/1` reads the station’s local time as UTC, so after the clocks change every high water is an hour late. Fixed by attaching the station’s zone before shifting.',
      ],
      96: [
        'assistant',
        'The flaky manifest test fails only when the sandbox is shared between async cases; `async: false` on `ManifestTest` makes it stable.',
      ],
    },
  },
  {
    project: 'orchard',
    ago: 27,
    turns: 120,
    title: 'Add pricing by weight to the basket',
    said: {
      22: [
        'user',
        'Prices must be integers in grams and cents everywhere. No floats, not even in the tests.',
      ],
      70: [
        'assistant',
        'I rounded half to even in `priceOf()`; with half-up the sum of twelve crates was one cent above the invoice.',
      ],
    },
  },
  {
    project: 'lantern',
    ago: 21,
    turns: 110,
    title: 'Why does the shutter stick when the signal repeats quickly?',
    said: {
      40: [
        'assistant',
        'The shutter sticks because `Signal::repeat` re-arms the timer before the previous pulse is acknowledged; the queue of pulses is bounded at 8 and the ninth blocks the thread that would drain it.',
      ],
      77: [
        'assistant',
        'We chose a debounce of 35 ms: below 30 ms the relay chatters, above 50 ms operators notice the lag.',
      ],
    },
  },
  {
    project: 'harbor',
    ago: 16,
    turns: 140,
    title: 'Berth locks survive a crash; make them go away',
    said: {
      25: [
        'user',
        'We reverse the decision on advisory locks: they leak when pgbouncer reuses a session. Use a lease table with expiry instead.',
      ],
      60: [
        'assistant',
        'Berth locks now live in the table `berth_leases` with a heartbeat every 20 seconds; a lease that was not renewed for a minute is free. The advisory locks are gone.',
      ],
    },
  },
  {
    project: 'orchard',
    ago: 9,
    turns: 130,
    title: 'The harvest export to the accountants times out',
    said: {
      48: [
        'assistant',
        'The export timed out because each crate loaded its weather row on its own: 9,400 queries. One join brings it from 71 s to 2.3 s.',
      ],
      101: [
        'assistant',
        'Accountants get the export as semicolon-separated CSV with a byte order mark, since their spreadsheet program misreads plain UTF-8.',
      ],
    },
  },
  {
    project: 'lantern',
    ago: 5,
    turns: 110,
    title: 'Cross-compile the controller for the lighthouse boards',
    said: {
      33: [
        'assistant',
        'The linker error `undefined reference to __atomic_load_8` on the boards comes from 64-bit atomics on ARMv6; I switched the tick counter to two `AtomicU32` halves.',
      ],
    },
  },
  {
    project: 'harbor',
    ago: 2,
    turns: 120,
    title: 'Customs forms are rejected since Monday',
    said: {
      44: [
        'assistant',
        'The customs authority rejects our forms because the schema now requires the field `originCountry` in upper case; ours sent `nl`. `CustomsForm.encode/1` upcases it.',
      ],
    },
  },
];

/** Twelve questions; what the answer must say is a regular expression over its text. */
export const QUESTIONS = [
  ['which port does the development server listen on', /4117/],
  ['may the agent run migrations on the shared database', /Ask me first/],
  ['where are berth locks stored now', /berth_leases/],
  ['why did we stop using advisory locks', /pgbouncer/],
  ['root cause of the tide tables being an hour late', /local time as UTC/],
  ['why is the manifest test flaky', /async: false/],
  ['should prices be floats or integers', /No floats/],
  ['rounding of priceOf half to even', /half to even/],
  ['why does the shutter stick', /re-arms the timer/],
  ['debounce of the relay in milliseconds', /35 ms/],
  ['why did the harvest export time out', /9,400 queries/],
  ['customs forms rejected originCountry', /upper case/],
];

/** A numbered listing, as a file viewer of an agent prints it. */
function listing(random, project, module) {
  const from = whole(random, 1, 180);
  const body = {
    ex: () => [
      `defmodule Harbor.${module}.${pick(random, ['Table', 'Server', 'Form', 'Import'])} do`,
      '  @moduledoc false',
      `  alias Harbor.${pick(random, project.modules)}`,
      '  import Ecto.Query',
      '',
      `  def ${pick(random, ['parse', 'encode', 'allocate', 'report'])}(input) do`,
      `    ${pick(random, ['with {:ok, row} <- fetch(input)', 'case lookup(input)'])} do`,
      '      {:ok, row}',
      '    end',
      '  end',
    ],
    ts: () => [
      `import { ${pick(random, project.modules)} } from './${pick(random, project.files)}';`,
      `export function ${pick(random, ['load', 'sum', 'rank', 'format'])}${module}(input: ${module}[]): number {`,
      '  const report = input.map((one) => one.weight);',
      `  return report.reduce((sum, one) => sum + one, ${whole(random, 0, 3)});`,
      '}',
    ],
    rs: () => [
      `pub struct ${module} { state: u32, support: bool }`,
      `impl ${module} {`,
      `    pub fn ${pick(random, ['open', 'close', 'poll', 'reset'])}(&mut self) -> Result<(), ${module}Error> {`,
      `        self.state = ${whole(random, 0, 9)};`,
      '        Ok(())',
      '    }',
      '}',
    ],
  }[project.language]();
  return Array.from({ length: whole(random, 2, 6) })
    .flatMap(() => body)
    .map((line, index) => `${String(from + index).padStart(6)}→${line}`)
    .join('\n');
}

/** Near-identical runs: all pass, and a figure or two differs. */
const run = {
  ex: (random) =>
    `Running ExUnit with seed: ${whole(random, 1000, 999_999)}, max_cases: 16\n\n${'.'.repeat(whole(random, 20, 60))}\nFinished in ${(random() * 3 + 0.4).toFixed(1)} seconds (0.3s async, 0.6s sync)\n\u001b[32m${whole(random, 180, 190)} tests, 0 failures\u001b[0m`,
  ts: (random) =>
    `\u001b[1m RUN \u001b[22m v3.1.${whole(random, 0, 4)}\n\n \u001b[32m✓\u001b[39m test/basket.test.ts (${whole(random, 9, 12)} tests) ${whole(random, 8, 60)}ms\n\n Test Files  14 passed (14)\n      Tests  ${whole(random, 96, 99)} passed`,
  rs: (random) =>
    `   Compiling lantern v0.4.${whole(random, 0, 9)}\n    Finished test profile in ${(random() * 6).toFixed(2)}s\nrunning 61 tests\n${'.'.repeat(61)}\ntest result: \u001b[32mok\u001b[0m. 61 passed; 0 failed; finished in 0.${whole(random, 10, 99)}s`,
};

const CHECKS = (random) =>
  `Checking ${whole(random, 118, 124)} source files (this might take a while) ...\n\nPlease report incorrect results.\n\nAnalysis took ${(random() * 2).toFixed(1)} seconds\n${whole(random, 900, 990)} mods/funs, \u001b[1mfound no issues.\u001b[0m`;

/** One tool call with its result: `[name, input, result, failed]`. */
function tool(random, project) {
  const module = pick(random, project.modules);
  const path = `${project.folder}/${pick(random, project.folders)}/${pick(random, project.files)}`;
  const choice = random();
  if (choice < 0.3) return ['Read', { file_path: path }, listing(random, project, module), false];
  if (choice < 0.5)
    return [
      'Bash',
      { command: project.test, description: 'Run the tests' },
      run[project.language](random),
      false,
    ];
  if (choice < 0.6)
    return ['Bash', { command: 'mix credo --strict', description: 'Check the style' }, CHECKS(random), false];
  if (choice < 0.72) {
    const hits = Array.from(
      { length: whole(random, 3, 9) },
      () =>
        `${pick(random, project.folders)}/${pick(random, project.files)}:${whole(random, 2, 300)}:  ${pick(random, ['import', 'report', 'support', 'export', 'server'])} ${pick(random, project.modules).toLowerCase()}`,
    );
    return [
      'Grep',
      { pattern: pick(random, ['server', 'report', module]), path: project.folder },
      hits.join('\n'),
      false,
    ];
  }
  if (choice < 0.8)
    return [
      'Bash',
      { command: `curl -s localhost:${whole(random, 4000, 4300)}/health` },
      JSON.stringify({
        status: 'ok',
        build: whole(random, 100, 400),
        checks: { database: 'up', queue: pick(random, ['up', 'idle']) },
      }),
      false,
    ];
  if (choice < 0.86)
    return [
      'Bash',
      { command: project.test },
      `\u001b[31m** (RuntimeError) could not lookup ${module} because it was not started or it does not exist\u001b[0m\\n    ${pick(random, project.folders)}/${pick(random, project.files)}:${whole(random, 3, 200)}: (test)\\n`,
      true,
    ];
  return [
    'Edit',
    {
      file_path: path,
      old_string: `def ${module.toLowerCase()}(x)`,
      new_string: `def ${module.toLowerCase()}(x, opts)`,
    },
    `The file ${path} has been updated. Here's the result of running \`cat -n\` on a snippet:\n${listing(random, project, module)}`,
    false,
  ];
}

const CHATTER = [
  'Let me look at how this is wired up.',
  'Let me fix it:',
  'Now let me run the tests again.',
  'The tests pass. Let me check the style as well.',
  'That did not help; let me look at the caller.',
  'I’ll read the module first.',
];
const THOUGHTS = [
  'The error mentions the supervisor, so perhaps the child is started twice.',
  'I should read the configuration before I change anything.',
  'The test passes alone and fails in the suite, so some state is shared.',
];
const ASKS = [
  'Go on.',
  'Looks good, please continue with the next one.',
  'And the tests?',
  'Can you tidy that up?',
];

/** The records of one session as lines of JSON. */
function lines(session, number, until, random) {
  const project = PROJECTS[session.project];
  const sessionId = `5e551000-0000-4000-8000-00000000000${number}`;
  let clock = until - session.ago * DAY;
  let serial = 0;
  let parentUuid = null;
  const out = [];
  const write = (type, message, rest = {}) => {
    serial += 1;
    clock += whole(random, 4, 50) * 1000;
    const uuid = `${String(number).padStart(8, '0')}-0000-4000-8000-${String(serial).padStart(12, '0')}`;
    const about = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: project.folder,
      sessionId,
      version: '2.1.150',
      gitBranch: 'main',
    };
    out.push(
      JSON.stringify({ ...about, type, uuid, timestamp: new Date(clock).toISOString(), message, ...rest }),
    );
    parentUuid = uuid;
    return uuid;
  };
  const user = (content, rest) => write('user', { role: 'user', content }, rest);
  const assistant = (block) =>
    write('assistant', {
      id: `msg_${number}_${serial}`,
      type: 'message',
      role: 'assistant',
      model: 'invented-1',
      content: [block],
    });

  user(session.title);
  for (let turn = 1; turn <= session.turns; turn++) {
    const said = session.said[turn];
    if (said) {
      if (said[0] === 'user') user(said[1]);
      else assistant({ type: 'text', text: said[1] });
      continue;
    }
    if (turn % 61 === 60)
      user(
        `This session is being continued from a previous conversation that ran out of context. The summary:\n1. ${session.title}\n2. Files looked at: ${project.files.slice(0, 3).join(', ')}\n3. Still to do: run the tests.`,
        { isCompactSummary: true },
      );
    if (turn % 23 === 0) user(pick(random, ASKS));
    if (random() < 0.25)
      assistant({ type: 'thinking', thinking: pick(random, THOUGHTS), signature: 'invented' });
    if (random() < 0.3) assistant({ type: 'text', text: pick(random, CHATTER) });
    const [name, input, result, failed] = tool(random, project);
    const id = `toolu_${number}_${turn}`;
    assistant({ type: 'tool_use', id, name, input });
    user([{ type: 'tool_result', tool_use_id: id, content: result, is_error: failed }], {
      toolUseResult: {},
    });
  }
  return out;
}

/**
 * Writes the sessions as a folder of Claude Code's (`<folder>/<project>/<session>.jsonl`), the latest ending shortly
 * before `until` (milliseconds). Returns how many records there are.
 */
export function writeSessions(folder, { seed = 5, until }) {
  const random = seeded(seed);
  let records = 0;
  for (const [index, session] of SESSIONS.entries()) {
    const slug = PROJECTS[session.project].folder.replaceAll('/', '-');
    const file = join(folder, slug, `5e551000-0000-4000-8000-00000000000${index + 1}.jsonl`);
    const all = lines(session, index + 1, until, random);
    mkdirSync(join(folder, slug), { recursive: true });
    writeFileSync(file, `${all.join('\n')}\n`);
    records += all.length;
  }
  return records;
}
