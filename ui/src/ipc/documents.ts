/** Documents and past research: listed, read, searched, taken in, removed. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { backend } from './backend';
import type { DocumentFileRequest, DocumentRequest } from './bindings';
import { keys } from './keys';

/** All documents by id. */
export function useDocuments() {
  return useQuery({ queryKey: keys.documentList, queryFn: () => backend().documents() });
}

/** A document with its text. */
export function useDocument(id: string) {
  return useQuery({ queryKey: keys.document(id), queryFn: () => backend().document(id) });
}

/** What the documents say to a question; nothing is asked for a blank one. */
export function useDocumentSearch(query: string) {
  return useQuery({
    queryKey: keys.documentSearch(query),
    queryFn: () => backend().searchDocuments(query),
    enabled: query.trim() !== '',
    placeholderData: (held) => held,
  });
}

/** Takes a text or a file in. */
export function useStoreDocument() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: DocumentRequest | DocumentFileRequest) =>
      'path' in request ? backend().storeDocumentFile(request) : backend().storeDocument(request),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.documents });
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}

/** Removes a document for good. */
export function useDeleteDocument() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => backend().deleteDocument(id),
    onSuccess: (left) => {
      client.setQueryData(keys.documentList, left);
      // Neither its text nor its chunks stay in the window.
      client.removeQueries({ queryKey: keys.documents, type: 'inactive' });
      void client.invalidateQueries({ queryKey: keys.documents });
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}

/** Past research, newest first. */
export function useResearch() {
  return useQuery({ queryKey: keys.research, queryFn: () => backend().listResearch() });
}

/** Forgets past research. */
export function useForgetResearch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => backend().forgetResearch(key),
    onSuccess: (left) => {
      client.setQueryData(keys.research, left);
      void client.invalidateQueries({ queryKey: keys.status });
    },
  });
}
