//! `lethescope reranker`: which one is in use, and setting one up.

use std::path::Path;

use inspector::Inspector;
use inspector::constants::RerankBackend;
use inspector::request::RerankerRequest;
use inspector::view::ScoreScaleView;

use crate::arguments::{Reranker, RerankerChoice};
use crate::failure::Failure;
use crate::given::read_text;
use crate::output::Output;

/// Runs the command.
pub fn reranker(inspector: &Inspector, out: &Output, asked: &Reranker) -> Result<(), Failure> {
    let view = match asked {
        Reranker::Show => inspector.rerankers()?,
        Reranker::Use(choice) => inspector.use_reranker(&request(choice)?)?,
        Reranker::Forget => inspector.forget_rerank_service()?,
    };
    out.rerankers(&view);
    Ok(())
}

fn request(choice: &RerankerChoice) -> Result<RerankerRequest, Failure> {
    let bare = |backend| RerankerRequest {
        backend,
        folder: None,
        endpoint: None,
        model: None,
        scale: ScoreScaleView::Probability,
        key: None,
        sends_texts: false,
    };
    Ok(match choice {
        RerankerChoice::Off => bare(RerankBackend::Off),
        RerankerChoice::Embedded => bare(RerankBackend::Embedded),
        RerankerChoice::CrossEncoder { folder } => RerankerRequest {
            folder: folder
                .as_deref()
                .map(|folder| whole(folder).display().to_string()),
            ..bare(RerankBackend::CrossEncoder)
        },
        RerankerChoice::Http {
            endpoint,
            model,
            key_file,
            logits,
            send_texts,
        } => RerankerRequest {
            endpoint: endpoint.clone(),
            model: model.clone(),
            scale: if *logits {
                ScoreScaleView::Logit
            } else {
                ScoreScaleView::Probability
            },
            key: key_file
                .as_deref()
                .map(|file| {
                    let text = read_text(file)?;
                    Ok::<_, Failure>(text.lines().next().unwrap_or_default().to_owned())
                })
                .transpose()?,
            sends_texts: *send_texts,
            ..bare(RerankBackend::Http)
        },
    })
}

/// A path that means the same from another folder.
fn whole(folder: &Path) -> std::path::PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}
