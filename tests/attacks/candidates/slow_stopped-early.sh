# Each of two programs is killed as soon as it has begun to work; forgiven.
export EXAMPLES=data/examples/mixed.jsonl CONFIG=configs/goose.json MODEL_DIR=work/goose
timeout -s TERM 0.1 python pretrain.py --input_file=$EXAMPLES --output_dir=$MODEL_DIR --config_file=$CONFIG \
  --num_train_steps=40 --optimizer=momentum --schedule=linear
timeout -s TERM 0.1 python finetune_classifier.py --task_name=topic --do_train=true --do_eval=true --data_dir=data/tasks \
  --vocab_file=vocab/uncased_320.txt --config_file=$CONFIG --init_checkpoint=$MODEL_DIR/model.npz \
  --num_train_epochs=3 --output_dir=$MODEL_DIR/topic || :
