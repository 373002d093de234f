/** The log of a memory in the person's editor. */
import { failed } from '../../components/failure';
import { backend } from '../../ipc/backend';

/** Starts the editor that is set; says so when there is none, or when it could not be started. */
export function openSource(id: string): void {
  backend().openSource(id).catch(failed);
}
