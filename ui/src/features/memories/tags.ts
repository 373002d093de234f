/** The tags of a line, separated by commas, each once. */
export function tagsOf(line: string): string[] {
  return [...new Set(line.split(',').map((tag) => tag.trim()))].filter(Boolean);
}
