import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { failed } from '../../components/failure';
import { backend } from '../../ipc/backend';
import type { StatusView } from '../../ipc/bindings';
import { useFolderOffers } from '../../ipc/hooks';
import { keys } from '../../ipc/keys';
import { text } from '../../locales/en';
import { navigate } from '../../shell/route';
import { RestoreDialog } from '../vault/RestoreDialog';
import { CreateVault } from './CreateVault';
import { Unlock } from './Unlock';
import css from './Welcome.module.css';

/** The window while no vault is open. */
export function Welcome({ status }: { status: StatusView }) {
  const words = text.onboarding;
  const client = useQueryClient();
  const opened = (next: StatusView) => client.setQueryData(keys.status, next);
  const demo = useMutation({
    mutationFn: () => backend().openDemo(),
    onSuccess: opened,
    onError: failed,
  });
  const offers = useFolderOffers();
  const found = (offers.data ?? []).filter(({ files }) => files > 0);
  const [restoring, setRestoring] = useState(false);
  const restore = (
    <>
      <Button variant="quiet" onPress={() => setRestoring(true)}>
        {text.vault.copies.restoring.instead}
      </Button>
      <RestoreDialog
        isOpen={restoring}
        hasVault={status.vault === 'locked'}
        onOpen={opened}
        onClose={() => setRestoring(false)}
      />
    </>
  );
  const openDemo = (
    <Button
      variant={found.length > 0 ? 'plain' : 'primary'}
      size="large"
      onPress={() => demo.mutate()}
      isPending={demo.isPending}
    >
      {demo.isPending ? words.demoWorking : words.demoAction}
    </Button>
  );

  if (status.vault === 'locked') {
    return (
      <main className={css.page}>
        <div className={css.narrow}>
          <h1 className={css.brand}>{text.common.appName}</h1>
          <section className={css.card}>
            <h2>{words.unlockTitle}</h2>
            <Unlock onOpen={opened} />
            <p className={css.folder}>{words.keptIn(status.folder)}</p>
          </section>
          <p className={css.other}>
            <Button variant="quiet" onPress={() => demo.mutate()} isPending={demo.isPending}>
              {demo.isPending ? words.demoWorking : words.orDemo}
            </Button>
            {restore}
          </p>
        </div>
      </main>
    );
  }
  const demoCard = (
    <section className={css.card} key="demo">
      <h2>{words.demoTitle}</h2>
      <p>{words.demoText}</p>
      <ol className={css.points}>
        {words.demoPoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ol>
      <div className={css.bottom}>{openDemo}</div>
    </section>
  );
  const createCard = (
    <section className={css.card} key="create">
      <h2>{words.createTitle}</h2>
      <p>{words.createText}</p>
      {offers.data?.length === 0 ? <p>{words.foundNone}</p> : null}
      <CreateVault
        offers={found}
        onOpen={(next, reading) => {
          // An empty vault needs a folder to watch before anything can be asked.
          if (reading) navigate('xray', { show: 'beginning' });
          else navigate('sources');
          opened(next);
        }}
      />
      <p className={css.folder}>{words.keptIn(status.folder)}</p>
    </section>
  );
  return (
    <main className={css.page}>
      <div className={css.wide}>
        <header className={css.header}>
          <span className={css.brand}>{text.common.appName}</span>
          <h1>{words.title}</h1>
          <p>{words.lead}</p>
        </header>
        <div className={css.choices}>
          {found.length > 0 ? [createCard, demoCard] : [demoCard, createCard]}
        </div>
        <p className={css.other}>{restore}</p>
      </div>
    </main>
  );
}
