/** A golden query by its text: pressed, the X-ray asks it. */
import { navigate } from '../../shell/route';
import { xrayStore } from '../xray/store';

export function AskAgain({ text, label }: { text: string; label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={() => {
        xrayStore().ask({ text });
        navigate('xray');
      }}
    >
      {text}
    </button>
  );
}
