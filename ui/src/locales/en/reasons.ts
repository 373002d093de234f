/** Why a record of a log became no memory of its own: one sentence each, with an example. */
export const reasons: Record<string, string> = {
  repeated:
    'The same words of the same speaker came up before, for example a command that was run twice; the memory that holds them counts one more.',
  'already stored':
    'The record was stored when this log, or a copy of it, was read before, for example a session that was resumed into a new file.',
  'deleted before': 'You deleted it; what was deleted does not come back with its log.',
  grown:
    'It belongs to a memory that is there and got its new words, for example an entry of a memory file that was extended.',
  duplicate:
    'The file holds the same record twice, for example a part of an answer that was written again while it streamed; one was taken.',
  'written twice': 'The log holds the record as an event and as a message; one was taken.',
  'sub-agent': 'It was said in a sub-agent’s transcript, which repeats much of the main agent’s.',
  'project left out': 'Its project is left out of what is watched, as you chose.',
  meta: 'A note of the program to itself, for example that a command was entered.',
  'session metadata': 'It describes the session, for example its model, its folder or its costs.',
  'injected context':
    'The program put it around the person’s words, for example a reminder or the list of open files.',
  'recalled context': 'It was recalled from a memory, which is stored already.',
  'notice of the program': 'A message of the program, not of anybody in the conversation.',
  'no text': 'There are no words in it, for example an empty answer before a tool call.',
  empty: 'There are no words in it.',
  encrypted: 'Only the model’s maker can read it, for example thinking that was redacted.',
  image: 'A picture; its words, if any, are not known.',
  'not valid JSON': 'The line is no JSON, for example because it was cut in the middle.',
  'not a JSON object': 'The line is JSON, but no record, for example a bare number.',
  'content of an unknown kind': 'A kind of content that this version does not know.',
  'another text of the record':
    'The record holds more than one text; what was said is stored, this one is not, for example a label.',
  'an answer that was rejected': 'A preference pair holds a better answer, which is stored.',
  'import of another file': 'The file imports another one, which is read where it lies.',
};
