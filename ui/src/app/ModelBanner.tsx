import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Banner } from '../components/Banner';
import { Button } from '../components/Button';
import { failed } from '../components/failure';
import { backend } from '../ipc/backend';
import type { StatusView } from '../ipc/bindings';
import { keys } from '../ipc/keys';
import { text } from '../locales/en';
import css from './ModelBanner.module.css';

/** Says that search runs on keywords alone, why, and offers to try again. */
export function ModelBanner({ status }: { status: StatusView }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => backend().retryModel(),
    onSuccess: (next) => client.setQueryData(keys.status, next),
    onError: failed,
  });
  const { model } = status;
  if (model.state !== 'missing' && model.state !== 'failed') return null;
  const done = text.common.number(status.embedded);
  const total = text.common.number(status.embeddable);
  const sentence = model.state === 'missing' ? text.app.modelMissing : text.app.modelFailed;
  return (
    <Banner
      tone="bad"
      action={
        <Button onPress={() => retry.mutate()} isPending={retry.isPending}>
          {text.app.retryModel}
        </Button>
      }
    >
      {sentence(done, total)}
      <small className={css.reason}>{model.reason}</small>
    </Banner>
  );
}
