/** Reads a text file that the person picks. */
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button } from '../../components/Button';

export function TextFile(props: { label: string; onText: (text: string) => void }) {
  return (
    <FileTrigger
      onSelect={(files) => {
        void files?.[0]?.text().then(props.onText);
      }}
    >
      <Button variant="quiet">{props.label}</Button>
    </FileTrigger>
  );
}
