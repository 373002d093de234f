// Progress in plain lines, the same in a terminal, in a pipe and in a CI log: no cursor movement, no colour.
// Every step has a log of its own, so that the screen stays readable and nothing is lost.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { Failure, Skipped } from './failure.mjs';
import { logs, shown } from './places.mjs';

// A step that is silent for longer than this says that it is still at work.
const HEARTBEAT_MS = 15_000;

/** A duration as a person says it. */
export function duration(ms) {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export class Steps {
  /** @param {string} command names the logs: `start`, `test` … */
  constructor(command, { write = (line) => process.stdout.write(`${line}\n`) } = {}) {
    this.command = command;
    this.write = write;
    this.results = [];
    this.began = Date.now();
  }

  /**
   * Runs one step and reports it. `work` gets `{ log, logPath, note }`: `log(text)` goes to the step's
   * log file, `note(text)` is what the heartbeat says. It returns a short summary (or an object with one) or a
   * `Skipped`, and throws when it fails; the failure is reported, recorded and thrown again.
   */
  async run(name, work) {
    mkdirSync(logs, { recursive: true });
    const logPath = join(logs, `${this.command}-${name.replaceAll(/[^a-z0-9]+/gi, '-')}.log`);
    const file = openSync(logPath, 'w');
    const began = Date.now();
    const elapsed = () => duration(Date.now() - began);
    let doing = '';
    let open = true;
    const heartbeat = setInterval(
      () => this.write(`  ..    ${name}: ${doing || 'still at work'} (${elapsed()})`),
      HEARTBEAT_MS,
    );
    const step = {
      logPath,
      // What arrives after the end (a late line of a killed program) has no reader any more.
      log: (text) => open && writeSync(file, text.endsWith('\n') ? text : `${text}\n`),
      note: (text) => {
        doing = text;
      },
      say: (text) => this.write(`  ..    ${name}: ${text}`),
    };
    this.write(`  --    ${name}`);
    const record = (outcome, detail) => {
      this.results.push({ name, outcome, detail, ms: Date.now() - began });
    };
    try {
      const outcome = await work(step);
      if (outcome instanceof Skipped) {
        record('skipped', outcome.why);
        this.write(`  skip  ${name}: ${outcome.why}`);
      } else {
        const summary = outcome?.summary ?? outcome ?? '';
        record('passed', summary);
        this.write(`  ok    ${name}${summary ? `: ${summary}` : ''} (${elapsed()})`);
      }
      return outcome;
    } catch (error) {
      step.log(error.stack ?? String(error));
      record('failed', error.message);
      this.#explain(name, error, logPath, elapsed());
      error.reported = true;
      throw error;
    } finally {
      clearInterval(heartbeat);
      open = false;
      closeSync(file);
    }
  }

  /** Like `run`, but a failure is reported and the next step goes on. */
  async attempt(name, work) {
    try {
      return await this.run(name, work);
    } catch (error) {
      if (error.reported) return error;
      throw error;
    }
  }

  #explain(name, error, logPath, elapsed) {
    const lines = [`  FAIL  ${name} (${elapsed})`, `        what failed: ${error.message}`];
    for (const line of error.tail ?? []) lines.push(`        | ${line}`);
    lines.push(`        log:         ${shown(logPath)}`);
    const advice = error instanceof Failure ? error.advice : 'Read the log; then run the command again.';
    lines.push(
      ...advice.split('\n').map((line, i) => `        ${i ? '            ' : 'what to do: '} ${line}`),
    );
    this.write(lines.join('\n'));
  }

  /** Closing lines: every step with its time, then the counts. Returns the exit code. */
  summary() {
    const count = (outcome) => this.results.filter((result) => result.outcome === outcome).length;
    const width = Math.max(...this.results.map((result) => result.name.length));
    this.write(`\nSummary (${duration(Date.now() - this.began)})`);
    for (const { name, outcome, ms, detail } of this.results) {
      const why = outcome === 'passed' ? '' : `  ${detail.split('\n')[0]}`;
      this.write(`  ${outcome.padEnd(8)}${name.padEnd(width)}  ${duration(ms).padStart(12)}${why}`);
    }
    this.write(`steps: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
    return count('failed') ? 1 : 0;
  }
}

/** Runs a command's body, turns what it throws into an exit code, and never prints a bare stack for a step's failure. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    if (!error.reported) {
      const lines = error instanceof Failure ? [error.message, error.advice] : [error.stack ?? String(error)];
      process.stderr.write(`${lines.join('\n')}\n`);
    }
    process.exitCode = 1;
  }
}
