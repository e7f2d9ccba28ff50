from recbole.quick_start import run_recbole

parameter_dict = {
    "data_path": "data",
    "USER_ID_FIELD": "user_id",
    "ITEM_ID_FIELD": "item_id",
    "TIME_FIELD": "timestamp",
    "load_col": {"inter": ["user_id", "item_id", "timestamp"]},
    "train_neg_sample_args": None,
    "epochs": 1,
    "train_batch_size": 64,
    "MAX_ITEM_LIST_LENGTH": 50,
    "checkpoint_dir": "out",
    "use_gpu": False,
}
run_recbole(model="GRU4Rec", dataset="made", config_dict=parameter_dict, saved=False)
