/** Accessibility findings of what is on the page, as short lines that read well in a failed test. */
import axe from 'axe-core';

export async function findings(root: Element = document.body): Promise<string[]> {
  // React Aria's announcer is a hidden node of its own, filled and emptied at once.
  const context = { include: [root as HTMLElement], exclude: [['[data-live-announcer]']] };
  const result = await axe.run(context, {
    // jsdom neither lays out nor paints, and a component alone has no landmarks.
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  });
  return result.violations.map(
    (found) =>
      `${found.impact} ${found.id}: ${found.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  );
}
