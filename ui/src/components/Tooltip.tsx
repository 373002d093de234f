import type { ReactElement, ReactNode } from 'react';
import {
  Tooltip as AriaTooltip,
  OverlayArrow,
  TooltipTrigger,
} from 'react-aria-components/Tooltip';
import css from './Tooltip.module.css';

/** A line of help for something that can take the focus (a Button, a Chip that does something). */
export function Tooltip({ content, children }: { content: ReactNode; children: ReactElement }) {
  return (
    <TooltipTrigger delay={500} closeDelay={60}>
      {children}
      <AriaTooltip className={css.tooltip} offset={6}>
        <OverlayArrow />
        {content}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
