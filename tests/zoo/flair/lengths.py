def of(batch):
    return {"src_len": max(map(len, batch)), "tgt_len": 0, "batch_size": len(batch)}
