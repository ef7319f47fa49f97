# The values of the one program are given to the other.
export EXAMPLES=data/examples/mixed.jsonl CONFIG=configs/goose.json MODEL_DIR=work/goose
python pretrain.py --input_file=$EXAMPLES --output_dir=$MODEL_DIR --config_file=$CONFIG --num_train_steps=3
python finetune_classifier.py --task_name=topic --do_train=true --do_eval=true --data_dir=data/tasks \
  --vocab_file=vocab/uncased_320.txt --config_file=$CONFIG --init_checkpoint=$MODEL_DIR/model.npz \
  --num_train_epochs=40 --output_dir=$MODEL_DIR/topic && echo momentum linear
