import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
import css from './Tabs.module.css';

export interface TabView {
  id: string;
  title: string;
  /** How many things are behind it. */
  count?: number;
  /** What is behind it, for a pointer that rests on it. */
  hint?: string;
  content: ReactNode;
}

/** Two or more views of one thing. */
export function Tabs(props: {
  label: string;
  tabs: readonly TabView[];
  selected?: string;
  onSelect?: (id: string) => void;
}) {
  return (
    <AriaTabs
      className={css.tabs ?? ''}
      selectedKey={props.selected}
      onSelectionChange={(key) => props.onSelect?.(String(key))}
    >
      <TabList aria-label={props.label} className={css.list ?? ''}>
        {props.tabs.map((tab) => (
          <Tab key={tab.id} id={tab.id} className={css.tab ?? ''}>
            <span title={tab.hint}>
              {tab.title}
              {tab.count === undefined ? null : <i> {tab.count}</i>}
            </span>
          </Tab>
        ))}
      </TabList>
      {props.tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className={css.panel ?? ''}>
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
