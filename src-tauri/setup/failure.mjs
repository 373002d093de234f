// A step that could not be done. Says what failed and what a person can do about it;
// whoever reports it adds the log's path.

export class Failure extends Error {
  /**
   * @param {string} what what failed, one sentence
   * @param {string} advice what to do, one or more lines
   * @param {string[]} tail the last lines that the failed program wrote
   */
  constructor(what, advice, tail = []) {
    super(what);
    this.advice = advice;
    this.tail = tail;
  }
}

/** What a step returns when there was nothing to do, or when it could not be done and need not be. */
export class Skipped {
  constructor(why) {
    this.why = why;
  }
}
